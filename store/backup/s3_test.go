package backup_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime/multipart"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"portico/e2e/testscope"
	"portico/gateway"
	"portico/store"
	"portico/store/backup"
	"portico/store/whole"
)

const s3Secret = "canary-of-the-bucket"

// s3Servers are programs that serve a folder as S3: the arguments for an address and a folder. `make s3-test` installs
// them and runs their tests.
var s3Servers = map[string]func(address, folder string) []string{
	"versitygw": func(address, folder string) []string {
		tags := filepath.Join(filepath.Dir(folder), "tags")
		return []string{
			"--access", "KEY", "--secret", s3Secret, "--port", address, "posix", "--sidecar", tags, folder,
		}
	},
	"rclone": func(address, folder string) []string {
		return []string{"serve", "s3", "--auth-key", "KEY," + s3Secret, "--addr", address, folder}
	},
}

// eachS3 runs a test with each S3 server that is installed, on a bucket without objects. The address ends with the
// name of the bucket.
func eachS3(t *testing.T, test func(t *testing.T, address string)) {
	for name, args := range s3Servers {
		t.Run(name, func(t *testing.T) {
			program, err := exec.LookPath(name)
			if err != nil && os.Getenv("S3_SERVERS") == "required" {
				t.Fatal(err)
			}
			if err != nil {
				t.Skipf("%s is not installed: make s3-test installs it", name)
			}
			address, folder := fmt.Sprintf("127.0.0.1:%d", testscope.FreePort()), t.TempDir()
			folder = filepath.Join(folder, "s3")
			must(t, os.MkdirAll(filepath.Join(folder, "bucket"), 0o700))
			// Where versitygw keeps tags of objects, which not every file system can.
			must(t, os.Mkdir(filepath.Join(filepath.Dir(folder), "tags"), 0o700))
			server := exec.Command(program, args(address, folder)...)
			var said bytes.Buffer
			server.Stdout, server.Stderr = &said, &said
			must(t, server.Start())
			ended := make(chan struct{})
			go func() { _ = server.Wait(); close(ended) }()
			t.Cleanup(func() {
				_ = server.Process.Kill()
				<-ended
				if t.Failed() {
					t.Log(said.String())
				}
			})
			for {
				conn, err := net.Dial("tcp", address)
				if err == nil {
					_ = conn.Close()
					break
				}
				select {
				case <-ended:
					t.Fatal("the server has ended")
				case <-time.After(10 * time.Millisecond):
				}
			}
			test(t, fmt.Sprintf("s3://KEY:%s@%s/bucket", s3Secret, address))
		})
	}
}

func TestS3BackupIsVerifiedRestoredAndNeverReplaced(t *testing.T) {
	eachS3(t, func(t *testing.T, address string) {
		from, to := at("sqlite:"+filepath.Join(t.TempDir(), "a.db")), at("sqlite:"+filepath.Join(t.TempDir(), "b.db"))
		db := open(t, from)
		noise := make([]byte, 1<<20)
		must(t, db.Tx(t.Context(), func(tx *store.DB) error {
			for range 12 { // hexadecimal digits of random bytes stay longer than one part after compression
				_, _ = rand.Read(noise)
				e := store.AuditEvent{At: 1, Kind: "noise", Detail: fmt.Sprintf("%x%x", noise, noise[:1<<19])}
				if err := tx.Audit.Add(t.Context(), e); err != nil {
					return err
				}
			}
			return nil
		}))
		object := place(t, address+"/below/copy")
		m, err := backup.Write(t.Context(), from, db, object)
		must(t, err)
		if m.Size < 32<<20 {
			t.Fatalf("%d bytes do not need several parts", m.Size)
		}
		_, err = backup.Verify(t.Context(), object)
		must(t, err)
		if _, err := backup.Write(t.Context(), from, db, object); !errors.Is(err, backup.ErrExists) {
			t.Errorf("a second backup: %v", err)
		}
		_, err = backup.Restore(t.Context(), to, object, false)
		must(t, err)
		c, err := whole.CheckFile(t.Context(), strings.TrimPrefix(to.Database, "sqlite:"))
		if err != nil || c.Rows["audit_events"] != 12 {
			t.Errorf("%v %v", c, err)
		}
	})
}

func TestBrokenS3UploadLeavesNoObject(t *testing.T) {
	eachS3(t, func(t *testing.T, address string) {
		object, broken := place(t, address+"/copy"), errors.New("the disk is broken")
		for _, size := range []int64{1, 40 << 20} {
			err := object.Put(t.Context(), func(out io.Writer) error {
				_, err := io.CopyN(out, rand.Reader, size)
				return errors.Join(err, broken)
			})
			if err == nil {
				t.Errorf("%d bytes: the upload succeeded", size)
			}
			if _, err := backup.Verify(t.Context(), object); err == nil || errors.Is(err, backup.ErrForeign) ||
				errors.Is(err, backup.ErrDamaged) {
				t.Errorf("%d bytes: there is an object: %v", size, err)
			}
		}
	})
}

func TestS3ErrorsContainNoSecret(t *testing.T) {
	eachS3(t, func(t *testing.T, address string) {
		wrong := strings.Replace(address, s3Secret, "canary-of-nobody", 1)
		_, err := backup.Verify(t.Context(), place(t, wrong+"/copy"))
		if err == nil || strings.Contains(err.Error(), "canary") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v", err)
		}
	})
}

func TestUploadsWorkOnS3Servers(t *testing.T) {
	eachS3(t, func(t *testing.T, address string) {
		files, err := gateway.NewS3(address)
		must(t, err)
		name, data := "pictures/a1.png", []byte("picture")
		must(t, files.Put(t.Context(), name, "image/png", data))
		if got, err := files.Get(t.Context(), name, 100); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%q %v", got, err)
		}
		must(t, files.Delete(t.Context(), name))
		if _, err := files.Get(t.Context(), name, 100); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("after Delete: %v", err)
		}
		wrong, err := gateway.NewS3(strings.Replace(address, s3Secret, "canary-of-nobody", 1))
		must(t, err)
		err = wrong.Put(t.Context(), name, "image/png", data)
		if err == nil || err.Error() != "s3: status 403, SignatureDoesNotMatch" {
			t.Errorf("with another secret: %v", err)
		}
	})
}

func TestAnS3ServerTakesOnlyTheFileOfAForm(t *testing.T) {
	eachS3(t, func(t *testing.T, address string) {
		if strings.HasSuffix(t.Name(), "rclone") {
			t.Skip("rclone checks no form")
		}
		files, err := gateway.NewS3(address)
		must(t, err)
		send := func(until time.Time, data string, change func(map[string]string)) int {
			t.Helper()
			to, fields, ok := files.Post("incoming/abc", "image/png", 7, until)
			if !ok {
				t.Fatal("no form")
			}
			change(fields)
			var body bytes.Buffer
			w := multipart.NewWriter(&body)
			for name, value := range fields {
				must(t, w.WriteField(name, value))
			}
			part, err := w.CreateFormFile("file", "x.png")
			must(t, err)
			_, _ = io.WriteString(part, data)
			must(t, w.Close())
			answer, err := http.Post(to, w.FormDataContentType(), &body)
			must(t, err)
			must(t, answer.Body.Close())
			return answer.StatusCode
		}
		soon, unchanged := time.Now().Add(time.Minute), func(map[string]string) {}
		for name, status := range map[string]int{
			"too late":  send(time.Now().Add(-time.Minute), "picture", unchanged),
			"too large": send(soon, "pictures", unchanged),
			"empty":     send(soon, "", unchanged),
			"another name": send(soon, "picture", func(f map[string]string) {
				f["key"] = "licence/abc"
			}),
			"another kind": send(soon, "picture", func(f map[string]string) {
				f["Content-Type"] = "text/html"
			}),
			"another signature": send(soon, "picture", func(f map[string]string) {
				f["x-amz-signature"] = strings.Repeat("0", 64)
			}),
		} {
			if status/100 != 4 {
				t.Errorf("%s: %d", name, status)
			}
		}
		for _, name := range []string{"incoming/abc", "licence/abc"} {
			if _, err := files.Get(t.Context(), name, 100); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if status := send(soon, "picture", unchanged); status/100 != 2 {
			t.Errorf("the form as it is: %d", status)
		}
		if got, err := files.Get(t.Context(), "incoming/abc", 100); err != nil || string(got) != "picture" {
			t.Errorf("%q %v", got, err)
		}
	})
}

func TestBrokenWriteLeavesNoFile(t *testing.T) {
	folder := t.TempDir()
	err := place(t, filepath.Join(folder, "copy")).Put(t.Context(), func(out io.Writer) error {
		_, err := io.CopyN(out, rand.Reader, 1<<20)
		return errors.Join(err, errors.New("no space left"))
	})
	if err == nil {
		t.Error("the write succeeded")
	}
	wantFiles(t, folder)
}
