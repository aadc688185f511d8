package pictures

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/jpeg"
	"io"
	"runtime"
)

// The decoder of progressive JPEGs keeps all coefficients, four bytes for each sample. For the largest picture that is
// accepted, it would take 375 MB if the colours are not subsampled. So such a file is split into three grey ones, which
// are decoded one after the other in less than half of the memory. A scan of one component is copied as it is. Only the
// scans that begin a picture have all three components: from these, the code of each block is copied.

// planeMemory is how many bytes a pixel takes: three samples, and the coefficients of one.
const planeMemory = 7

var errPlanes = errors.New("portal: a JPEG that cannot be split into its components")

// decodePlanes decodes a progressive JPEG of three components that all have a sample for each pixel.
func decodePlanes(r io.Reader) (image.Image, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	var planes [3]*image.Gray
	for i := range planes {
		one, err := plane(r, data, i)
		if err != nil {
			return nil, err
		}
		decoded, err := jpeg.Decode(&patientReader{func() error { return inTime(r) }, one})
		if err != nil {
			return nil, err
		}
		grey, ok := decoded.(*image.Gray)
		if !ok || i > 0 && (grey.Stride != planes[0].Stride || grey.Rect != planes[0].Rect) {
			return nil, errPlanes
		}
		planes[i] = grey
		runtime.GC() // frees its coefficients before the next one needs as many
	}
	return &image.YCbCr{
		Y: planes[0].Pix, Cb: planes[1].Pix, Cr: planes[2].Pix, YStride: planes[0].Stride, CStride: planes[1].Stride,
		SubsampleRatio: image.YCbCrSubsampleRatio444, Rect: planes[0].Rect,
	}, nil
}

// inTime returns the error of a file whose time is over. The file has been read to its end.
func inTime(file io.Reader) error {
	if _, err := file.Read(make([]byte, 1)); err != io.EOF {
		return err
	}
	return nil
}

// plane returns a JPEG of one component of another JPEG. It fails when the time of the file is over.
func plane(file io.Reader, data []byte, number int) ([]byte, error) {
	p := planes{number: number, out: append(make([]byte, 0, len(data)), 0xff, 0xd8)}
	for at := 2; at+4 <= len(data); {
		marker := data[at+1]
		switch {
		case data[at] != 0xff || marker == 0xff:
			at++
			continue
		case marker == 0xd9:
			return append(p.out, 0xff, 0xd9), nil
		case marker == 0x00 || marker == 0x01 || marker >= 0xd0 && marker <= 0xd7:
			at += 2
			continue
		}
		size := int(binary.BigEndian.Uint16(data[at+2:]))
		if size < 2 || at+2+size > len(data) {
			return nil, errPlanes
		}
		segment := data[at : at+2+size]
		at += 2 + size
		if marker != 0xda {
			if err := p.segment(marker, segment); err != nil {
				return nil, err
			}
			continue
		}
		if err := inTime(file); err != nil {
			return nil, err
		}
		end := afterScan(data, at)
		if err := p.scan(segment, data[at:end]); err != nil {
			return nil, err
		}
		at = end
	}
	return append(p.out, 0xff, 0xd9), nil
}

// planes takes one component out of a JPEG.
type planes struct {
	number   int // of the component
	out      []byte
	ids      []byte
	blocks   int        // of a component
	interval int        // blocks between two restarts, 0 for none
	codes    [4]dcCodes // of the tables for first coefficients
}

// dcCodes are the codes of a table: for each length the first code, how many there are, and where their symbols begin.
type dcCodes struct {
	first, count, from [17]int
	symbols            []byte
}

// segment reads and copies a segment that is not a scan.
func (p *planes) segment(marker byte, segment []byte) error {
	body := segment[4:]
	switch marker {
	case 0xc2:
		if len(body) != 6+3*3 || body[5] != 3 || p.ids != nil {
			return errPlanes
		}
		p.ids = []byte{body[6], body[9], body[12]}
		height, width := int(binary.BigEndian.Uint16(body[1:])), int(binary.BigEndian.Uint16(body[3:]))
		p.blocks = (height + 7) / 8 * ((width + 7) / 8)
		p.out = append(p.out, 0xff, marker, 0, 8+3)
		p.out = append(append(p.out, body[:5]...), 1)
		p.out = append(p.out, body[6+3*p.number:9+3*p.number]...)
		return nil
	case 0xc4:
		if err := p.tables(body); err != nil {
			return err
		}
	case 0xdd:
		if len(body) != 2 {
			return errPlanes
		}
		p.interval = int(binary.BigEndian.Uint16(body))
	case 0xdb:
	default:
		if isFrame(marker) {
			return errPlanes
		}
		return nil // notes
	}
	p.out = append(p.out, segment...)
	return nil
}

// tables reads the codes for first coefficients.
func (p *planes) tables(body []byte) error {
	for len(body) > 0 {
		if len(body) < 17 {
			return errPlanes
		}
		var table dcCodes
		code, total := 0, 0
		for length := 1; length <= 16; length++ {
			count := int(body[length])
			table.first[length] = code
			table.count[length] = count
			table.from[length] = total
			code, total = (code+count)*2, total+count
		}
		if len(body) < 17+total {
			return errPlanes
		}
		table.symbols = body[17 : 17+total]
		if body[0] < 4 {
			p.codes[body[0]] = table
		}
		body = body[17+total:]
	}
	return nil
}

// scan copies what a scan has of the component.
func (p *planes) scan(segment, coded []byte) error {
	header := segment[4:]
	if p.ids == nil || len(header) < 1 || len(header) != 4+2*int(header[0]) {
		return errPlanes
	}
	end := header[len(header)-3:]
	switch header[0] {
	case 1:
		if header[1] == p.ids[p.number] {
			p.out = append(append(p.out, segment...), coded...)
		}
		return nil
	case 3:
		if end[0] != 0 || end[1] != 0 || header[1] != p.ids[0] || header[3] != p.ids[1] || header[5] != p.ids[2] {
			return errPlanes
		}
	default:
		return errPlanes
	}
	p.out = append(p.out, 0xff, 0xda, 0, 8, 1, header[1+2*p.number], header[2+2*p.number])
	p.out = append(p.out, end...)
	return p.copyBlocks(header, coded, end[2]>>4 > 0)
}

// copyBlocks copies the codes of the component's blocks from a scan of all components. refines says that each block is
// one bit.
func (p *planes) copyBlocks(header, coded []byte, refines bool) error {
	in, out := bitReader{data: coded}, bitCopier{out: p.out}
	for block := range p.blocks {
		if p.interval > 0 && block > 0 && block%p.interval == 0 {
			restart := byte(0xd0 + (block/p.interval-1)%8)
			if !in.restart(restart) {
				return errPlanes
			}
			out.restart(restart)
		}
		for component := range 3 {
			var code, length, more int
			var ok bool
			if refines {
				length = 1
				code, ok = in.bits(length)
			} else {
				if header[2+2*component]>>4 > 3 {
					return errPlanes
				}
				code, length, more, ok = p.codes[header[2+2*component]>>4].read(&in)
			}
			value, known := in.bits(more)
			if !ok || !known {
				return errPlanes
			}
			if component == p.number {
				out.put(code, length)
				out.put(value, more)
			}
		}
	}
	p.out = out.finish()
	return nil
}

// read reads a code. more is how many bits follow it.
func (c *dcCodes) read(in *bitReader) (code, length, more int, ok bool) {
	for length = 1; length <= 16; length++ {
		bit, ok := in.bits(1)
		if !ok {
			return 0, 0, 0, false
		}
		code = code<<1 | bit
		if at := code - c.first[length]; at >= 0 && at < c.count[length] {
			more = int(c.symbols[c.from[length]+at])
			return code, length, more, more <= 16
		}
	}
	return 0, 0, 0, false
}

// bitReader reads the bits of a scan.
type bitReader struct {
	data []byte
	held uint32
	n    int
}

// bits reads up to 16 bits; ok is false when there are not so many before the next marker.
func (b *bitReader) bits(n int) (value int, ok bool) {
	for b.n < n {
		if len(b.data) == 0 {
			return 0, false
		}
		next := b.data[0]
		b.data = b.data[1:]
		if next == 0xff {
			if len(b.data) == 0 || b.data[0] != 0 {
				return 0, false
			}
			b.data = b.data[1:]
		}
		b.held, b.n = b.held<<8|uint32(next), b.n+8
	}
	b.n -= n
	return int(b.held >> b.n & (1<<n - 1)), true
}

// restart skips the rest of a byte and reads a restart.
func (b *bitReader) restart(marker byte) bool {
	b.n = 0
	rest, ok := bytes.CutPrefix(b.data, []byte{0xff, marker})
	b.data = rest
	return ok
}

// bitCopier writes the bits of a scan.
type bitCopier struct {
	out  []byte
	held uint32
	n    int
}

// put writes up to 16 bits.
func (b *bitCopier) put(value, n int) {
	b.held, b.n = b.held<<n|uint32(value), b.n+n
	for b.n >= 8 {
		b.n -= 8
		b.out = append(b.out, byte(b.held>>b.n))
		if b.out[len(b.out)-1] == 0xff {
			b.out = append(b.out, 0)
		}
	}
}

// finish fills the last byte with ones and returns what was written.
func (b *bitCopier) finish() []byte {
	if b.n > 0 {
		b.put(1<<(8-b.n)-1, 8-b.n)
	}
	return b.out
}

func (b *bitCopier) restart(marker byte) { b.out = append(b.finish(), 0xff, marker) }
