package picturetest

import (
	"bytes"
	"encoding/binary"
)

// Progressive returns a progressive JPEG with a sample of each component for each pixel. Each block has one colour,
// which its first scan says without the last bit. interval is the number of blocks between two restarts, 0 for none.
func Progressive(w, h, interval int) []byte {
	data := []byte{0xff, 0xd8}
	segment := func(marker byte, body ...byte) {
		data = append(binary.BigEndian.AppendUint16(append(data, 0xff, marker), uint16(len(body)+2)), body...)
	}
	segment(0xdb, append([]byte{0}, bytes.Repeat([]byte{1}, 64)...)...)
	segment(0xc2, 8, byte(h>>8), byte(h), byte(w>>8), byte(w), 3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0)
	lengths := make([]byte, 16)
	lengths[3] = 12 // codes of four bits for numbers of up to eleven bits
	segment(0xc4, append(append([]byte{0}, lengths...), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)...)
	lengths[3], lengths[0] = 0, 1 // one code: nothing but the colour
	segment(0xc4, append(append([]byte{0x10}, lengths...), 0)...)
	if interval > 0 {
		segment(0xdd, byte(interval>>8), byte(interval))
	}
	blocks := (w + 7) / 8 * ((h + 7) / 8)
	scan := func(header []byte, components []int, block func(out *bitWriterOfScans, block, component int)) {
		segment(0xda, header...)
		var out bitWriterOfScans
		for i := range blocks {
			if interval > 0 && i > 0 && i%interval == 0 {
				out.finish()
				out.data = append(out.data, 0xff, byte(0xd0+(i/interval-1)%8))
				out.former = [3]int{}
			}
			for _, component := range components {
				block(&out, i, component)
			}
		}
		out.finish()
		data = append(data, out.data...)
	}
	all := []int{0, 1, 2}
	scan([]byte{3, 1, 0, 2, 0, 3, 0, 0, 0, 0x01}, all, func(out *bitWriterOfScans, block, component int) {
		value := blockColour(block, component) >> 1
		difference := value - out.former[component]
		out.former[component] = value
		size, bits := 0, difference
		for rest := max(difference, -difference); rest > 0; rest >>= 1 {
			size++
		}
		if difference < 0 {
			bits += 1<<size - 1
		}
		out.put(size, 4)
		out.put(bits, size)
	})
	for _, component := range all {
		scan([]byte{1, byte(component + 1), 0, 1, 63, 0}, []int{component},
			func(out *bitWriterOfScans, _, _ int) { out.put(0, 1) })
	}
	scan([]byte{3, 1, 0, 2, 0, 3, 0, 0, 0, 0x10}, all, func(out *bitWriterOfScans, block, component int) {
		out.put(blockColour(block, component)&1, 1)
	})
	return append(data, 0xff, 0xd9)
}

// blockColour returns the first coefficient of a block.
func blockColour(block, component int) int { return (block*37+component*301)%1601 - 800 }

// bitWriterOfScans writes the bits of a scan.
type bitWriterOfScans struct {
	data    []byte
	held, n int
	former  [3]int // the values of the block before
}

func (b *bitWriterOfScans) put(value, n int) {
	for i := n - 1; i >= 0; i-- {
		b.held, b.n = b.held<<1|value>>i&1, b.n+1
		if b.n < 8 {
			continue
		}
		b.data = append(b.data, byte(b.held))
		if byte(b.held) == 0xff {
			b.data = append(b.data, 0)
		}
		b.held, b.n = 0, 0
	}
}

func (b *bitWriterOfScans) finish() {
	for b.n > 0 {
		b.put(1, 1)
	}
}

// TwoFrames returns a JPEG with two frames: one of 5000 × 5000 pixels, and a progressive one of 65500 × 65500, which
// takes 21 GB to decode. As it is a JFIF, its size is asked of the first.
func TwoFrames() []byte {
	data := WithSegment(Progressive(8, 8, 0), 0xe0, []byte("JFIF\x00\x01\x02\x00\x00\x01\x00\x01\x00\x00"))
	const length = 2 + 17
	at := bytes.Index(data, []byte{0xff, 0xc2})
	sized := func(marker byte, side uint16) []byte {
		frame := bytes.Clone(data[at : at+length])
		frame[1] = marker
		binary.BigEndian.PutUint16(frame[5:], side)
		binary.BigEndian.PutUint16(frame[7:], side)
		return frame
	}
	tables, _, _ := bytes.Cut(data[at+length:], []byte{0xff, 0xda})
	scan := []byte{0xff, 0xda, 0, 8, 1, 1, 0, 0, 0, 0, 0, 0xff, 0xd9} // of the first component, as good as empty
	return bytes.Join([][]byte{data[:at], sized(0xc0, 5000), sized(0xc2, 65500), tables, scan}, nil)
}
