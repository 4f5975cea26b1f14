package main

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"
)

// Pixels are compared, not bytes: another Go release may pack them in another way.
func TestCommittedIconIsWhatTheProgramDraws(t *testing.T) {
	path := filepath.Join("..", "..", "..", ".claude-plugin", "icon.png")
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	decoded, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		t.Fatalf("decode %s: %v", path, err)
	}
	want := draw()
	if got := decoded.Bounds(); got != want.Bounds() {
		t.Fatalf("bounds: got %v, want %v", got, want.Bounds())
	}
	for y := range size {
		for x := range size {
			got := color.NRGBAModel.Convert(decoded.At(x, y))
			if got != want.NRGBAAt(x, y) {
				t.Fatalf("pixel %d,%d: got %v, want %v; run go run ./internal/tools/icon .claude-plugin/icon.png", x, y, got, want.NRGBAAt(x, y))
			}
		}
	}
}

func TestEachPartOfThePictureIsWhereItBelongs(t *testing.T) {
	layers := picture()
	ground, arrow, bar := layers[0].paint, layers[1].paint, layers[4].paint
	tests := []struct {
		name string
		at   image.Point
		want color.NRGBA
	}{
		{name: "a corner is transparent", at: image.Pt(0, 0)},
		{name: "the middle of the loop is ground", at: image.Pt(256, 276), want: ground},
		{name: "the loop runs along the bottom", at: image.Pt(256, 410), want: arrow},
		{name: "the loop is open between its start and the bar", at: image.Pt(372, 236), want: ground},
		{name: "the head points to the right", at: image.Pt(320, 140), want: arrow},
		{name: "the bar stands where the arrow ends", at: image.Pt(370, 140), want: bar},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := pixel(layers, tt.at.X, tt.at.Y); got != tt.want {
				t.Errorf("pixel %v: got %v, want %v", tt.at, got, tt.want)
			}
		})
	}
}

func TestWriteNamesTheFileThatItCannotWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "absent", "icon.png")
	err := write(path)
	if err == nil || !bytes.Contains([]byte(err.Error()), []byte(path)) {
		t.Errorf("error: got %v, want one that names %s", err, path)
	}
}
