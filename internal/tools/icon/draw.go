package main

import (
	"image"
	"image/color"
)

const (
	size = 512 // pixels on a side
	grid = 4   // samples of a pixel on a side
	unit = 8   // steps of a coordinate in a pixel; samples lie on odd ones
)

// shape tells whether it covers the point x, y, in steps.
type shape func(x, y int) bool

// layer is a shape in one colour; later layers cover earlier ones.
type layer struct {
	covers shape
	paint  color.NRGBA
}

// picture lists the layers. The arrow runs clockwise from the right to the top
// and points at the bar, where it ends.
func picture() []layer {
	ground := color.NRGBA{R: 0x17, G: 0x20, B: 0x3d, A: 0xff}
	arrow := color.NRGBA{R: 0x86, G: 0xe3, B: 0xce, A: 0xff}
	bar := color.NRGBA{R: 0xff, G: 0x8a, B: 0x5c, A: 0xff}
	return []layer{
		{covers: box(0, 0, size, size, 112), paint: ground},
		{covers: both(ring(256, 276, 112, 160), outsideCorner(236, 276)), paint: arrow},
		{covers: disc(392, 276, 24), paint: arrow},
		{covers: triangle(228, 66, 228, 214, 330, 140), paint: arrow},
		{covers: box(350, 66, 394, 214, 22), paint: bar},
	}
}

// draw paints the picture: the colour of a pixel is the mean of its samples.
func draw() *image.NRGBA {
	layers := picture()
	out := image.NewNRGBA(image.Rect(0, 0, size, size))
	for y := range size {
		for x := range size {
			out.SetNRGBA(x, y, pixel(layers, x, y))
		}
	}
	return out
}

func pixel(layers []layer, x, y int) color.NRGBA {
	const samples = grid * grid
	step := unit / grid
	var r, g, b, n int
	for i := range samples {
		sx := x*unit + (i%grid)*step + step/2
		sy := y*unit + (i/grid)*step + step/2
		if paint, ok := top(layers, sx, sy); ok {
			r, g, b, n = r+int(paint.R), g+int(paint.G), b+int(paint.B), n+1
		}
	}
	if n == 0 {
		return color.NRGBA{}
	}
	return color.NRGBA{R: uint8(r / n), G: uint8(g / n), B: uint8(b / n), A: uint8(n * 0xff / samples)}
}

func top(layers []layer, x, y int) (color.NRGBA, bool) {
	for i := len(layers) - 1; i >= 0; i-- {
		if layers[i].covers(x, y) {
			return layers[i].paint, true
		}
	}
	return color.NRGBA{}, false
}

// disc is a filled circle; its measures, like all below, are pixels.
func disc(cx, cy, radius int) shape {
	return func(x, y int) bool {
		dx, dy, r := x-cx*unit, y-cy*unit, radius*unit
		return dx*dx+dy*dy <= r*r
	}
}

// ring is a circle with a hole.
func ring(cx, cy, inner, outer int) shape {
	whole, hole := disc(cx, cy, outer), disc(cx, cy, inner)
	return func(x, y int) bool { return whole(x, y) && !hole(x, y) }
}

// outsideCorner is everything but the part that is both right of cx and above cy.
func outsideCorner(cx, cy int) shape {
	return func(x, y int) bool { return x <= cx*unit || y >= cy*unit }
}

func both(a, b shape) shape {
	return func(x, y int) bool { return a(x, y) && b(x, y) }
}

// box is a rectangle with round corners.
func box(x0, y0, x1, y1, radius int) shape {
	return func(x, y int) bool {
		if x < x0*unit || x > x1*unit || y < y0*unit || y > y1*unit {
			return false
		}
		// The distance to the inner box, whose corners are the centres of the rounding.
		dx := max((x0+radius)*unit-x, x-(x1-radius)*unit, 0)
		dy := max((y0+radius)*unit-y, y-(y1-radius)*unit, 0)
		return dx*dx+dy*dy <= radius*radius*unit*unit
	}
}

// triangle takes its corners clockwise or anticlockwise.
func triangle(ax, ay, bx, by, cx, cy int) shape {
	side := func(x, y, px, py, qx, qy int) int {
		return (qx-px)*(y-py*unit) - (qy-py)*(x-px*unit)
	}
	return func(x, y int) bool {
		a, b, c := side(x, y, ax, ay, bx, by), side(x, y, bx, by, cx, cy), side(x, y, cx, cy, ax, ay)
		return (a >= 0 && b >= 0 && c >= 0) || (a <= 0 && b <= 0 && c <= 0)
	}
}
