package backup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"syscall"
	"time"
)

// leftoverAge is how old a leftover of a killed program is before it is removed. A younger one may belong to a program
// that has made it and not locked it yet.
const leftoverAge = time.Hour

// A program keeps its working folder and its unfinished archive locked. The system unlocks them when the program ends,
// however it ends. So what has our kind of name, our owner and mode, and no lock, is a leftover.
var (
	workName = regexp.MustCompile(`^(\.portico-backup|\.portico-restore|portico-restore|portico-verify)-\d+$`)
	partName = regexp.MustCompile(`^\.(.+)\.part-\d+$`)
	// copyNames are the files that a working folder can have.
	copyNames = regexp.MustCompile(`^(database|\.database\.part)(-journal|-wal|-shm)?$`)
)

// lock locks an open file or folder until it is closed. It returns an error when another program has it locked, or when
// the file system knows no locks.
func lock(file *os.File) error { return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }

// makeWork makes a working folder in parent, "" for the folder of temporary files, and removes what killed programs
// left beside it. remove removes the folder.
func makeWork(parent, prefix string, now time.Time) (work string, remove func(), err error) {
	if parent == "" {
		parent = os.TempDir()
	}
	removeLeftovers(parent, "", now)
	work, err = os.MkdirTemp(parent, prefix+"-*") // mode 0700
	if err != nil {
		return "", nil, err
	}
	folder, err := os.Open(work)
	if err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(work))
	}
	_ = lock(folder) // without a lock, other programs cannot lock it either, and let it be
	return work, func() {
		_ = os.RemoveAll(work)
		_ = folder.Close()
	}, nil
}

// removeLeftovers removes the working folders and unfinished archives that killed programs left in a folder. archive is
// the name of the archive that is made there, "" for none: the unfinished archives are those of this name and those of
// a schedule. What cannot be removed stays.
func removeLeftovers(folder, archive string, now time.Time) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, entry := range entries {
		part := partName.FindStringSubmatch(entry.Name())
		isPart := part != nil && archive != "" && (part[1] == archive || scheduled(part[1]))
		if isPart || workName.MatchString(entry.Name()) {
			_ = removeLeftover(filepath.Join(folder, entry.Name()), now)
		}
	}
}

// scheduled reports whether a schedule gives a file this name.
func scheduled(name string) bool {
	_, err := time.Parse(namePrefix+nameTime+nameEnd, name)
	return err == nil
}

// errNotOurs says that a file or folder is no leftover, or may be in use.
var errNotOurs = errors.New("not a leftover of this program")

func removeLeftover(path string, now time.Time) error {
	before, err := os.Lstat(path)
	if err != nil || now.Sub(before.ModTime()) < leftoverAge || !isOurs(before) {
		return fmt.Errorf("%w: %w", errNotOurs, err)
	}
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	if err := lock(file); err != nil {
		return err
	}
	info, err := file.Stat()
	if err != nil || !os.SameFile(before, info) {
		return fmt.Errorf("%w: %w", errNotOurs, err)
	}
	if !info.IsDir() {
		return os.Remove(path)
	}
	inside, err := file.ReadDir(0)
	if err != nil {
		return err
	}
	for _, entry := range inside {
		if !copyNames.MatchString(entry.Name()) || !entry.Type().IsRegular() {
			return errNotOurs
		}
	}
	return os.RemoveAll(path)
}

// isOurs reports whether a file or folder has the owner and the mode that this program gives it.
func isOurs(info os.FileInfo) bool {
	owner, known := info.Sys().(*syscall.Stat_t)
	if !known || int(owner.Uid) != os.Geteuid() {
		return false
	}
	if info.IsDir() {
		return info.Mode().Perm() == 0o700
	}
	return info.Mode().IsRegular() && info.Mode().Perm() == fileMode
}
