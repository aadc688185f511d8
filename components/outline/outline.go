// Package outline turns SVG paths into pixels, for pictures that are shown outside the browser.
package outline

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"regexp"
	"slices"
	"strconv"

	"golang.org/x/image/vector"
)

// Point is a place in units of the drawing.
type Point struct{ X, Y float64 }

// Path is a path made of straight lines: a list of points for each of its parts.
type Path [][]Point

// pathWord matches a command or a number of an SVG path.
var pathWord = regexp.MustCompile(`[A-Za-z]|-?(?:\d+\.?\d*|\.\d+)`)

// pathNumbers is how many numbers each command takes.
var pathNumbers = map[byte]int{'M': 2, 'L': 2, 'H': 1, 'V': 1, 'C': 6, 'S': 4, 'Q': 4, 'A': 7, 'Z': 0}

// Of reads the attribute d of our own SVG paths, which use the commands M, L, H, V, C, S, Q, A and Z. Commands
// in lower case are relative to the last point.
func Of(d string) Path {
	var p pathReader
	words := pathWord.FindAllString(arcFlags.ReplaceAllString(d, "$1 $2 $3 "), -1)
	command := byte('M')
	for i := 0; i < len(words); {
		if c := words[i][0]; c >= 'A' && c <= 'z' {
			command, i = c, i+1
		}
		upper, origin := command&^0x20, Point{}
		if command != upper {
			origin = p.at
		}
		var n [7]float64
		for j := range pathNumbers[upper] {
			if i < len(words) {
				n[j], _ = strconv.ParseFloat(words[i], 64)
				i++
			}
		}
		p.run(upper, origin, n)
		if upper == 'M' {
			command -= 'M' - 'L' // further numbers are lines
		}
	}
	return p.done
}

// pathReader makes an outline of the commands of a path.
type pathReader struct {
	done   Path
	at     Point // the last point
	begun  Point // where the current part began
	handle Point // second control point of the last curve, else the last point
}

// run adds a command with its numbers, whose coordinates are relative to origin.
func (p *pathReader) run(command byte, origin Point, n [7]float64) {
	to := func(j int) Point { return Point{origin.X + n[j], origin.Y + n[j+1]} }
	switch command {
	case 'M':
		p.at, p.begun = to(0), to(0)
		p.done = append(p.done, []Point{p.at})
	case 'L':
		p.line(to(0))
	case 'H':
		p.line(Point{origin.X + n[0], p.at.Y})
	case 'V':
		p.line(Point{p.at.X, origin.Y + n[0]})
	case 'Z':
		p.line(p.begun)
	case 'C':
		p.curve(to(0), to(2), to(4))
		return
	case 'S': // the first control point mirrors the last curve's second one
		p.curve(Point{2*p.at.X - p.handle.X, 2*p.at.Y - p.handle.Y}, to(0), to(2))
		return
	case 'Q':
		p.quadratic(to(0), to(2))
		return
	case 'A':
		p.line(arc(p.at, math.Abs(n[0]), math.Abs(n[1]), n[3] != 0, n[4] != 0, to(5))...)
	}
	p.handle = p.at
}

// line adds straight lines to the given points.
func (p *pathReader) line(points ...Point) {
	last := len(p.done) - 1
	p.done[last] = append(p.done[last], points...)
	p.at = points[len(points)-1]
}

// curve adds a cubic Bézier curve with two control points.
func (p *pathReader) curve(first, second, end Point) {
	p.line(cubic(p.at, first, second, end)...)
	p.handle = second
}

// quadratic adds a quadratic Bézier curve with one control point.
func (p *pathReader) quadratic(control, end Point) {
	first := Point{p.at.X + (control.X-p.at.X)*2/3, p.at.Y + (control.Y-p.at.Y)*2/3}
	second := Point{end.X + (control.X-end.X)*2/3, end.Y + (control.Y-end.Y)*2/3}
	p.curve(first, second, end)
}

// arcFlags finds the two flags of an arc, which may be followed by a number without a space.
var arcFlags = regexp.MustCompile(`( 0 )([01])[ ,]?([01])[ ,]?`)

const (
	curveSteps = 32 // straight lines of a curve
	// seam is how much smaller the round ends of a line are, in pixels. Otherwise they would bulge, because antialiased
	// edges that overlap are drawn twice.
	seam = .3
)

func cubic(a, b, c, d Point) []Point {
	points := make([]Point, curveSteps)
	for i := range points {
		t := float64(i+1) / curveSteps
		u := 1 - t
		points[i] = Point{u*u*u*a.X + 3*u*u*t*b.X + 3*u*t*t*c.X + t*t*t*d.X,
			u*u*u*a.Y + 3*u*u*t*b.Y + 3*u*t*t*c.Y + t*t*t*d.Y}
	}
	return points
}

// arc returns the points of an elliptic arc without rotation, as SVG 1.1 defines it in appendix F.6.
func arc(from Point, rx, ry float64, large, sweep bool, to Point) []Point {
	if rx == 0 || ry == 0 || from == to {
		return []Point{to}
	}
	x, y := (from.X-to.X)/2/rx, (from.Y-to.Y)/2/ry
	if long := x*x + y*y; long > 1 {
		grown := math.Sqrt(long)
		rx = rx * grown
		ry = ry * grown
		x = x / grown
		y = y / grown
	}
	k := math.Sqrt(max(0, 1/(x*x+y*y)-1))
	if large == sweep {
		k = -k
	}
	cx, cy := k*y, -k*x
	begin, end := math.Atan2(y-cy, x-cx), math.Atan2(-y-cy, -x-cx)
	if sweep && end < begin {
		end += 2 * math.Pi
	} else if !sweep && end > begin {
		end -= 2 * math.Pi
	}
	centre := Point{(from.X+to.X)/2 + cx*rx, (from.Y+to.Y)/2 + cy*ry}
	points := make([]Point, curveSteps)
	for i := range points {
		angle := begin + (end-begin)*float64(i+1)/curveSteps
		points[i] = Point{centre.X + rx*math.Cos(angle), centre.Y + ry*math.Sin(angle)}
	}
	points[len(points)-1] = to
	return points
}

// Transform returns the outline scaled and moved.
func (o Path) Transform(scale, x, y float64) Path {
	moved := make(Path, len(o))
	for i, part := range o {
		for _, p := range part {
			moved[i] = append(moved[i], Point{p.X*scale + x, p.Y*scale + y})
		}
	}
	return moved
}

// Stroke returns the outline of a stroke of the given width along an outline, with round ends and corners.
func (o Path) Stroke(width float64) Path {
	var all Path
	for _, part := range o {
		var run []Point // the points since the last corner
		part = slices.Compact(slices.Clone(part))
		for i, p := range part {
			run = append(run, p)
			if len(run) > 1 && i < len(part)-1 && !isCorner(run[len(run)-2], p, part[i+1]) {
				continue
			}
			all = append(all, dot(p, width/2-seam))
			if len(run) > 1 {
				all = append(all, band(run, width/2))
			}
			run = []Point{p}
		}
	}
	return all
}

// isCorner says whether the lines a to b and b to c meet at a visible angle.
func isCorner(a, b, c Point) bool {
	x := b.X - a.X
	y := b.Y - a.Y
	u := c.X - b.X
	v := c.Y - b.Y
	return x*u+y*v < .985*math.Hypot(x, y)*math.Hypot(u, v)
}

func dot(at Point, r float64) []Point {
	round := make([]Point, 2*curveSteps)
	for k := range round {
		sin, cos := math.Sincos(float64(k) * math.Pi / curveSteps)
		round[k] = Point{at.X + r*cos, at.Y + r*sin}
	}
	return round
}

// band returns the outline of the area within r of a run of lines without corners.
func band(run []Point, r float64) []Point {
	around := make([]Point, 2*len(run))
	for i, p := range run {
		a, b := run[max(i-1, 0)], run[min(i+1, len(run)-1)]
		long := math.Hypot(b.X-a.X, b.Y-a.Y)
		x, y := (b.Y-a.Y)/long*r, (a.X-b.X)/long*r
		around[i], around[len(around)-1-i] = Point{p.X + x, p.Y + y}, Point{p.X - x, p.Y - y}
	}
	return around
}

// Fill paints the area within outlines in one colour. Where outlines overlap, it paints once.
func Fill(on *image.RGBA, c color.Color, outlines ...Path) {
	r := vector.NewRasterizer(on.Rect.Dx(), on.Rect.Dy())
	for _, o := range outlines {
		for _, part := range o {
			r.MoveTo(float32(part[0].X), float32(part[0].Y))
			for _, p := range part[1:] {
				r.LineTo(float32(p.X), float32(p.Y))
			}
			r.ClosePath()
		}
	}
	r.DrawOp = draw.Over
	r.Draw(on, on.Rect, image.NewUniform(c), image.Point{})
}
