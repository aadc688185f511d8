package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"portico/tools/bench/figures"
)

const (
	codeFloodTime     = time.Minute
	codeFloodWorkers  = 16
	codeFloodNetworks = 264 // of size /64, in one /48
	codeFloodAsks     = 19  // of each network before the attacker uses the next
)

// codeFlood simulates an attacker with an IPv6 /48 who requests codes by signed calls for consecutive unregistered
// numbers and does the required work. Meanwhile registered phones request codes from new addresses.
func (b *bench) codeFlood(ctx context.Context) error {
	program, log, err := b.limitedPortico(ctx)
	if err != nil {
		return err
	}
	defer program.stop()
	ctx, cancel := context.WithTimeout(ctx, codeFloodTime)
	defer cancel()
	var asks, served atomic.Int64
	var workers sync.WaitGroup
	for range codeFloodWorkers {
		workers.Go(func() {
			for ctx.Err() == nil {
				n := asks.Add(1)
				address := fmt.Sprintf("2001:db8:7:%x::1", n/codeFloodAsks%codeFloodNetworks)
				code, err := askCode(ctx, program.url, "registCode", fmt.Sprintf("150%08d", n), address)
				if err == nil && code == "ok" {
					served.Add(1)
				}
			}
		})
	}
	honest, slowest := 0, time.Duration(0)
	for n := range 10 {
		select {
		case <-ctx.Done():
		case <-time.After(codeFloodTime / 12):
		}
		begun := time.Now()
		code, err := askCode(ctx, program.url, "resetCode", fmt.Sprintf("138%08d", n+1), fmt.Sprintf("198.51.%d.7", n))
		slowest = max(slowest, time.Since(begun))
		if err == nil && code == "ok" {
			honest++
		}
	}
	workers.Wait()
	alarms, err := countAlarms(log)
	if err != nil {
		return err
	}
	b.table.Add("codes: messages that one IPv6 /48 causes in 60 s", float64(served.Load()), "", figures.AtMost, 60,
		"%d asks", asks.Load())
	b.table.Add("codes: registered phones on fresh addresses that get theirs meanwhile",
		float64(honest), "of 10", figures.Exactly, 10, "the slowest after %d ms", slowest.Milliseconds())
	b.table.Add("codes: alarms", float64(alarms), "", figures.AtLeast, 1, "")
	return nil
}

// limitedPortico serves the demo data with all limits on, behind a trusted proxy on this machine, so that callers
// choose their address by X-Forwarded-For. log is the path of its log file.
func (b *bench) limitedPortico(ctx context.Context) (p *process, log string, err error) {
	dir, err := os.MkdirTemp(b.dir, "limited-")
	if err != nil {
		return nil, "", err
	}
	port, err := freePort()
	if err != nil {
		return nil, "", err
	}
	log = filepath.Join(dir, "log")
	file, err := os.Create(log)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = file.Close() }()
	p = &process{url: "http://localhost:" + port}
	environ := append(otherEnvironment(), "PORTICO_BASE="+p.url, "PORTICO_ADDR=127.0.0.1:"+port,
		"PORTICO_DATABASE=sqlite:"+filepath.Join(dir, "portico.db"), "PORTICO_TRUSTED_PROXIES=127.0.0.0/8")
	for _, name := range []string{"migrate", "demo"} {
		p.cmd = exec.CommandContext(ctx, b.program, name)
		p.cmd.Env = environ
		if out, err := p.cmd.CombinedOutput(); err != nil {
			return nil, "", fmt.Errorf("portico %s: %w\n%s", name, err, out)
		}
	}
	return p, log, p.restart(ctx, file)
}

// askCode requests a verification code by a signed call, does the required work, and returns the result code of the
// last answer.
func askCode(ctx context.Context, origin, call, phone, address string) (string, error) {
	params := "phone_=" + phone
	for range 2 {
		code, work, err := callOnce(ctx, origin+"/v1/account/"+call, params, address)
		if err != nil || work.Token == "" {
			return code, err
		}
		params = "phone_=" + phone + "&proof_=" + work.Token + "&work_=" + solveProof(ctx, work)
	}
	return "validation_failed", nil
}

// proofOfWork is the proof of work that a refusal requires. Its token is empty when none is required.
type proofOfWork struct {
	Token string `json:"token_"`
	Bits  int    `json:"bits_"`
}

func callOnce(ctx context.Context, url, params, address string) (code string, work proofOfWork, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"?"+params, nil)
	if err != nil {
		return "", work, err
	}
	for name, value := range signedHeaders("", params) {
		r.Header.Set(name, value)
	}
	r.Header.Set("X-Forwarded-For", address)
	got, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return "", work, err
	}
	body, err := readAll(got)
	if err != nil {
		return "", work, err
	}
	var answer struct {
		Code string
		Data struct {
			Proof proofOfWork `json:"proof_"`
		}
	}
	err = json.Unmarshal(body, &answer)
	return answer.Code, answer.Data.Proof, err
}

// solveProof returns the smallest number that proves the work.
func solveProof(ctx context.Context, w proofOfWork) string {
	for n := 0; ctx.Err() == nil; n++ {
		text := strconv.Itoa(n)
		sum := sha256.Sum256([]byte(w.Token + ":" + text))
		if bits.LeadingZeros32(binary.BigEndian.Uint32(sum[:])) >= w.Bits {
			return text
		}
	}
	return ""
}

// countAlarms returns the number of alarms about messages in a log.
func countAlarms(log string) (alarms int, err error) {
	file, err := os.Open(log)
	if err != nil {
		return 0, err
	}
	defer func() { _ = file.Close() }()
	lines := bufio.NewReader(file)
	for {
		line, err := lines.ReadString('\n')
		isAlarm := strings.Contains(line, `"sms_run"`) || strings.Contains(line, `"sms_budget"`)
		if isAlarm && strings.Contains(line, `"level":"ERROR"`) {
			alarms++
		}
		if errors.Is(err, io.EOF) {
			return alarms, nil
		}
		if err != nil {
			return alarms, err
		}
	}
}
