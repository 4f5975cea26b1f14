// Command icon draws the plugin's icon, a loop that ends at a bar, as PNG.
//
//	go run ./internal/tools/icon .claude-plugin/icon.png
//
// It uses whole numbers only, so that every platform draws the same pixels. It
// does not decide where the icon is used.
package main

import (
	"bytes"
	"fmt"
	"image/png"
	"os"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "icon: name the file to write")
		os.Exit(1)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintf(os.Stderr, "icon: %v\n", err)
		os.Exit(1)
	}
}

func write(path string) error {
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&out, draw()); err != nil {
		return fmt.Errorf("encode icon: %w", err)
	}
	if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
		return fmt.Errorf("write icon: %w", err)
	}
	return nil
}
