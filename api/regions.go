package api

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"hash/crc32"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"portico/portal"
)

// cacheable lets a client keep what changes with a release only, and ask again with its ETag.
const cacheable = "private, max-age=86400"

// direct adapts a call without parameters that writes its own answer.
func direct(plain func(a *API, w http.ResponseWriter, r *http.Request) error) operation {
	return operation{input: reflect.TypeFor[none](), plain: func(a *API, w http.ResponseWriter, r *http.Request, sent *request) error {
		if err := sent.decode(&none{}); err != nil {
			return err
		}
		return plain(a, w, r)
	}}
}

// cached adapts an operation whose answer a client may keep.
func cached[In, Out any](run func(in In) (Out, error)) operation {
	return operation{input: reflect.TypeFor[In](), plain: func(_ *API, w http.ResponseWriter, r *http.Request, sent *request) error {
		var in In
		if err := sent.decode(&in); err != nil {
			return err
		}
		result, err := run(in)
		if err != nil {
			return err
		}
		data, err := json.Marshal(result)
		if err != nil || notModified(w, r, tagOf(data)) {
			return err
		}
		return write(w, http.StatusOK, envelope{Status: 1, Code: "ok", Data: data, RequestID: requestID(w)})
	}}
}

// tagOf is a weak ETag: two answers differ in their request_id alone.
func tagOf(data []byte) string {
	sum := sha256.Sum256(data)
	return `W/"` + hex.EncodeToString(sum[:12]) + `"`
}

// notModified answers 304 when the client has it already.
func notModified(w http.ResponseWriter, r *http.Request, tag string) bool {
	h := w.Header()
	h["Etag"], h["Cache-Control"] = []string{tag}, []string{cacheable}
	known := r.Header.Get("If-None-Match")
	if known != tag && !holdsTag(known, strings.Trim(tag, `W/"`)) {
		return false
	}
	w.WriteHeader(http.StatusNotModified)
	return true
}

// packed is an answer compressed once but for its request_id, which each one has of its own.
type packed struct {
	tag    string
	head   []byte // of the envelope, up to the request_id's value
	gzip   []byte // head as gzip: header and deflate stream, at a byte's border, not ended
	crc    uint32 // of head
	length uint32
}

const gzipHeader = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff"

func pack(data []byte) (*packed, error) {
	head := append(append([]byte(`{"status":1,"code":"ok","message":"","data":`), data...), `,"request_id":"`...)
	var b bytes.Buffer
	b.WriteString(gzipHeader)
	z, err := flate.NewWriter(&b, flate.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(head); err != nil {
		return nil, err
	}
	if err := z.Flush(); err != nil {
		return nil, err
	}
	return &packed{tagOf(data), head, b.Bytes(), crc32.ChecksumIEEE(head), uint32(len(head))}, nil
}

// write answers with the rest put behind: as a stored block (RFC 1951 section 3.2.4) with the checksum
// carried on (RFC 1952), or plain.
func (p *packed) write(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Add("Vary", "Accept-Encoding")
	rest := []byte(requestID(w) + `"}`)
	body := [][]byte{p.head, rest}
	if takesGzip(r.Header.Get("Accept-Encoding")) {
		h.Set("Content-Encoding", "gzip")
		end := []byte{1, byte(len(rest)), byte(len(rest) >> 8), ^byte(len(rest)), ^byte(len(rest) >> 8)}
		end = append(end, rest...)
		end = binary.LittleEndian.AppendUint32(end, crc32.Update(p.crc, crc32.IEEETable, rest))
		end = binary.LittleEndian.AppendUint32(end, p.length+uint32(len(rest)))
		body = [][]byte{p.gzip, end}
	}
	h.Set("Content-Length", strconv.Itoa(len(body[0])+len(body[1])))
	w.WriteHeader(http.StatusOK)
	for _, part := range body {
		_, _ = w.Write(part) // the caller may have gone
	}
}

var regionTree = sync.OnceValues(func() (*packed, error) { return pack(portal.RegionTreeJSON()) })

func buildRegionTree(_ *API, w http.ResponseWriter, r *http.Request) error {
	tree, err := regionTree()
	if err != nil || notModified(w, r, tree.tag) {
		return err
	}
	tree.write(w, r)
	return nil
}

type regionInput struct {
	Parent string `json:"parent_"`
}

func buildSimpleRegionTree(in regionInput) ([]portal.RegionEntry, error) {
	entries, ok := portal.RegionsUnder(in.Parent)
	if !ok {
		return nil, portal.NotFound
	}
	return entries, nil
}
