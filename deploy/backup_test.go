package deploy

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"html"
	"image"
	"image/png"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"portico/deploy/deploytest"
	"portico/store"
	"portico/store/storetest"
)

// secretsSeen are the passwords and codes of a test, which no file and no output may contain.
type secretsSeen struct {
	mu        sync.Mutex
	passwords []string
	codes     []string
}

func (s *secretsSeen) note(person *deploytest.Person, messages *deploytest.Messages) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.passwords = append(s.passwords, person.Password)
	s.codes = append(s.codes, messages.Code(person.Phone))
}

// check fails the test when a text contains a password, or a code that is not part of a longer number or word.
func (s *secretsSeen) check(t *testing.T, where string, text []byte) {
	t.Helper()
	for _, password := range s.passwords {
		if bytes.Contains(text, []byte(password)) {
			t.Errorf("%s contains the password %s", where, password)
		}
	}
	for _, code := range s.codes {
		if regexp.MustCompile(`(^|[^0-9A-Za-z.])` + code + `($|[^0-9A-Za-z])`).Match(text) {
			t.Errorf("%s contains the code %s", where, code)
		}
	}
}

// user is a person whose name on the profile counts the changes that were acknowledged.
type user struct {
	*deploytest.Person
	account      string // id of the account
	acknowledged int    // number of the last name that was saved
}

var (
	accountField = regexp.MustCompile(`name="account_id"[^>]*value="(\d+)"`)
	seenField    = regexp.MustCompile(`name="seen"[^>]*value="([^"]*)"`)
	nameField    = regexp.MustCompile(`<input[^>]*name="name"[^>]*>`)
	nameNumber   = regexp.MustCompile(`value="Name (\d+)"`)
	portrait     = regexp.MustCompile(`/portrait/[^"?]+`)
)

// newUser registers a person with a password that no other person has, and signs the person in.
func newUser(
	ctx context.Context, front deploytest.Front, messages *deploytest.Messages, secrets *secretsSeen,
) (*user, error) {
	u := &user{Person: front.NewPerson()}
	// A password must not contain the phone: letters stand for its digits.
	letters := strings.NewReplacer("0", "q", "1", "w", "2", "x", "3", "y", "4", "k", "5", "b", "6", "f", "7", "g",
		"8", "h", "9", "j")
	u.Password = "Girlitz7" + letters.Replace(u.Phone[3:])
	if err := u.Register(ctx, messages); err != nil {
		return nil, err
	}
	secrets.note(u.Person, messages)
	if _, err := u.SignIn(ctx); err != nil {
		return nil, err
	}
	page, err := u.profile(ctx)
	if err != nil {
		return nil, err
	}
	if m := accountField.FindStringSubmatch(page); m != nil {
		u.account = m[1]
		return u, nil
	}
	return nil, errors.New("the profile names no account")
}

// profile returns the page with the person's name and portrait, which only somebody who is signed in sees.
func (u *user) profile(ctx context.Context) (string, error) {
	page, err := u.Get(ctx, "account", "/profile")
	if err == nil && page.Status != http.StatusOK {
		err = fmt.Errorf("the profile answers %d", page.Status)
	}
	return page.Body, err
}

// rename saves the next name, and a portrait if there is one.
func (u *user) rename(ctx context.Context, picture []byte) error {
	page, err := u.profile(ctx)
	if err != nil {
		return err
	}
	next := u.acknowledged + 1
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	fields := []string{"action", "save", "account_id", u.account, "name", fmt.Sprint("Name ", next), "position", ""}
	if m := seenField.FindStringSubmatch(page); m != nil {
		fields = append(fields, "seen", html.UnescapeString(m[1]))
	}
	for i := 0; i < len(fields); i += 2 {
		_ = form.WriteField(fields[i], fields[i+1])
	}
	if picture != nil {
		part, _ := form.CreateFormFile("portrait", "portrait.png")
		_, _ = part.Write(picture)
	}
	_ = form.Close()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://account."+deploytest.Host+"/profile", &body)
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", form.FormDataContentType())
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	answer, err := u.Client.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusSeeOther {
		text, _ := io.ReadAll(answer.Body)
		return fmt.Errorf("saving the profile: status %d\n%s", answer.StatusCode, text)
	}
	u.acknowledged = next
	return nil
}

// shown returns the number of the name that the profile shows, and the address of the portrait.
func (u *user) shown(ctx context.Context) (number int, picture string, err error) {
	page, err := u.profile(ctx)
	if err != nil {
		return 0, "", err
	}
	if m := nameNumber.FindStringSubmatch(nameField.FindString(page)); m != nil {
		_, _ = fmt.Sscan(m[1], &number)
	}
	return number, portrait.FindString(page), nil
}

// people is a load of people who change their names, sign in and register, each one after the other.
type people struct {
	front    deploytest.Front
	messages *deploytest.Messages
	secrets  *secretsSeen
	mu       sync.Mutex
	all      []*user // whose registration was acknowledged
	changes  int     // that were acknowledged
	problem  error
}

// acknowledged returns how many changes were acknowledged so far, and the number of the last name of each person.
func (p *people) acknowledged() (changes int, names map[*user]int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	names = map[*user]int{}
	for _, u := range p.all {
		names[u] = u.acknowledged
	}
	return p.changes, names
}

func (p *people) did(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.changes++
	p.problem = errors.Join(p.problem, err)
}

// start lets the people begin. stop waits until they have ended.
func (p *people) start(t *testing.T) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	var working sync.WaitGroup
	work := func(step func() error) {
		working.Go(func() {
			for ctx.Err() == nil {
				err := step()
				if p.did(err); err != nil {
					return
				}
			}
		})
	}
	for _, u := range p.all[:len(p.all)-1] {
		work(func() error {
			// The lock is not held during the request: only this goroutine changes the number.
			copied := *u
			err := copied.rename(context.WithoutCancel(ctx), nil)
			p.mu.Lock()
			defer p.mu.Unlock()
			u.acknowledged = copied.acknowledged
			return err
		})
	}
	last := p.all[len(p.all)-1].Person
	again := p.front.NewPerson()
	again.Phone, again.Password = last.Phone, last.Password
	work(func() error {
		again.Forget()
		_, err := again.SignIn(context.WithoutCancel(ctx))
		return err
	})
	work(func() error {
		u, err := newUser(context.WithoutCancel(ctx), p.front, p.messages, p.secrets)
		if err != nil {
			return err
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		p.all = append(p.all, u)
		return nil
	})
	return func() {
		cancel()
		working.Wait()
		if p.problem != nil {
			t.Error(p.problem)
		}
	}
}

const (
	peopleBefore  = 4  // people who register before the load begins
	changesBefore = 20 // that are acknowledged before a backup begins
	mostBackups   = 20 // that are made until one was made during a change
)

// TestBackupUnderLoadIsUsedElsewhere makes a backup while people work, restores it into another platform and uses that.
func TestBackupUnderLoadIsUsedElsewhere(t *testing.T) {
	for name, databases := range map[string]func(t *testing.T) (from, to string){
		"sqlite": func(t *testing.T) (from, to string) {
			return "sqlite:" + filepath.Join(t.TempDir(), "a.db"), "sqlite:" + filepath.Join(t.TempDir(), "b.db")
		},
		"postgres": func(t *testing.T) (from, to string) { return storetest.PostgresURL(t), storetest.PostgresURL(t) },
	} {
		t.Run(name, func(t *testing.T) {
			from, to := databases(t)
			useElsewhere(t, from, to)
		})
	}
}

func useElsewhere(t *testing.T, from, to string) {
	ctx, program, secrets := t.Context(), deploytest.Program(t), &secretsSeen{}
	const fromProxies = "PORTICO_TRUSTED_PROXIES=127.0.0.1/32"
	here := deploytest.NewPlatform(t, from, fromProxies, "PORTICO_SMS_DAILY=100000")
	first := here.StartInstance(t, program)
	load := &people{
		front:    deploytest.Front{Address: deploytest.At(first.Port).Address, Apart: true},
		messages: here.Messages, secrets: secrets,
	}
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewRGBA(image.Rect(0, 0, 64, 64))); err != nil {
		t.Fatal(err)
	}
	for range peopleBefore {
		u, err := newUser(ctx, load.front, here.Messages, secrets)
		if err == nil {
			err = u.rename(ctx, picture.Bytes())
		}
		if err != nil {
			t.Fatal(err)
		}
		load.all = append(load.all, u)
	}
	stop := load.start(t)
	file, said, before := backupDuringChanges(t, here, program, load)
	stop()
	if t.Failed() {
		return
	}
	said += deploytest.Run(t, here.Command(program, "verify", file))

	there := deploytest.NewPlatform(t, to, fromProxies, "PORTICO_SECRET="+here.Settings["PORTICO_SECRET"],
		"PORTICO_SIGN_SECRET="+here.Settings["PORTICO_SIGN_SECRET"])
	said += deploytest.Run(t, there.Command(program, "restore", file))
	copyUploads(t, here, there)
	second := there.StartInstance(t, program)
	front := deploytest.Front{Address: deploytest.At(second.Port).Address, Apart: true}
	for old, acknowledged := range before {
		checkRestored(t, front, old, acknowledged, picture.Bytes())
	}
	t.Logf("%d people and %d changes in all; %d people were registered before the backup", len(load.all), load.changes,
		len(before))
	secrets.check(t, "what the commands printed", []byte(said))
	secrets.check(t, "the log of the first platform", []byte(first.Output()))
	secrets.check(t, "the log of the second platform", []byte(second.Output()))
	checkArchive(t, file, secrets)
	checkColumns(t, to, secrets)
}

// backupDuringChanges makes backups until a change was acknowledged while one was made. It returns the archive, what
// the command printed, and what was acknowledged before the command was started.
func backupDuringChanges(t *testing.T, from *deploytest.Platform, program string, load *people) (
	file, said string, before map[*user]int,
) {
	t.Helper()
	for n := range mostBackups {
		var changes int
		deploytest.WaitFor(t, "people to change something", nil, func() error {
			if changes, before = load.acknowledged(); changes < changesBefore || len(before) <= peopleBefore {
				return fmt.Errorf("%d changes, %d people", changes, len(before))
			}
			return nil
		})
		file = filepath.Join(t.TempDir(), fmt.Sprintf("%d.backup", n))
		said += deploytest.Run(t, from.Command(program, "backup", file))
		if after, _ := load.acknowledged(); after > changes {
			t.Logf("%d changes were acknowledged before the backup, %d while it was made", changes, after-changes)
			return file, said, before
		}
	}
	t.Fatalf("nothing changed during %d backups", mostBackups)
	return "", "", nil
}

func copyUploads(t *testing.T, from, to *deploytest.Platform) {
	t.Helper()
	folder := func(p *deploytest.Platform) string { return strings.TrimPrefix(p.Settings["PORTICO_UPLOADS"], "dir:") }
	if err := os.CopyFS(folder(to), os.DirFS(folder(from))); err != nil {
		t.Fatal(err)
	}
}

// checkRestored uses the restored platform as somebody who registered before the backup: with the session of that time,
// and with the password.
func checkRestored(t *testing.T, front deploytest.Front, old *user, acknowledged int, picture []byte) {
	t.Helper()
	ctx := t.Context()
	with := &user{Person: front.NewPerson()}
	with.Phone, with.Password, with.Client.Jar = old.Phone, old.Password, old.Client.Jar
	number, address, err := with.shown(ctx)
	if err != nil {
		t.Errorf("%s with the session from before the backup: %v", old.Phone, err)
		return
	}
	if number < acknowledged {
		t.Errorf("%s has name %d, and %d was acknowledged before the backup", old.Phone, number, acknowledged)
	}
	with.Forget()
	if _, err := with.profile(ctx); err == nil {
		t.Error("the profile is shown without a session")
	}
	if _, err := with.SignIn(ctx); err != nil {
		t.Errorf("%s with the password: %v", old.Phone, err)
		return
	}
	if acknowledged == 0 { // registered during the load, without a portrait
		return
	}
	answer, err := with.Get(ctx, "account", address)
	if err != nil || address == "" || answer.Status != http.StatusOK {
		t.Errorf("the portrait %q: %d, %v", address, answer.Status, err)
		return
	}
	want, _ := png.DecodeConfig(bytes.NewReader(picture))
	shown, kind, err := image.DecodeConfig(strings.NewReader(answer.Body))
	if err != nil || shown.Width != want.Width {
		t.Errorf("the portrait is a %s of %d pixels: %v", kind, shown.Width, err)
	}
}

// checkArchive searches every file of an archive, uncompressed, for secrets.
func checkArchive(t *testing.T, file string, secrets *secretsSeen) {
	t.Helper()
	archive, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = archive.Close() }()
	unpacked, err := gzip.NewReader(archive)
	if err != nil {
		t.Fatal(err)
	}
	files, size := tar.NewReader(unpacked), 0
	for {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(files)
		if err != nil {
			t.Fatal(err)
		}
		size += len(text)
		secrets.check(t, "the file "+header.Name+" of the archive", text)
		if header.Name == "database" && !bytes.Contains(text, []byte("Company ")) {
			t.Error("the archive has no names of companies: the search would find nothing")
		}
	}
	t.Logf("searched %d bytes for %d passwords and codes", size, len(secrets.passwords))
}

// checkColumns searches every value of a database for secrets. In a file of SQLite, values stand side by side, so that
// checkArchive does not see where a code begins.
func checkColumns(t *testing.T, address string, secrets *secretsSeen) {
	t.Helper()
	db, err := store.OpenMigrated(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	on, query := db.Pools()["requests"], "SELECT table_name FROM information_schema.tables "+
		"WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'"
	if !db.Postgres() {
		on, query = db.Pools()["read"], "SELECT name FROM sqlite_master WHERE type = 'table'"
	}
	searched := 0
	for _, table := range rowsOf(t, on, query) {
		values := rowsOf(t, on, fmt.Sprintf(`SELECT * FROM "%s"`, table))
		searched += len(values)
		for _, value := range values {
			secrets.check(t, "the table "+table, []byte(value))
		}
	}
	if searched < 100 {
		t.Errorf("only %d values were searched", searched)
	}
}

// rowsOf returns every text in the answer to a query.
func rowsOf(t *testing.T, on *sql.DB, query string) (all []string) {
	t.Helper()
	rows, err := on.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	names, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	values, into := make([]any, len(names)), make([]any, len(names))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		for _, value := range values {
			switch text := value.(type) {
			case string:
				all = append(all, text)
			case []byte:
				all = append(all, string(text))
			}
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}
