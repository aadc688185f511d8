package deploytest

import (
	"context"
	"os"
	"testing"

	"portico/store/storetest"
)

// mainTest removes the built program when the tests have run.
type mainTest struct{ *testing.M }

// Run runs the tests.
func (m mainTest) Run() int {
	defer Clean()
	return m.M.Run()
}

func TestMain(m *testing.M) { storetest.Main(mainTest{m}) }

func TestPersonRegistersAndSignsInAtAnInstance(t *testing.T) {
	p := NewPlatform(t, storetest.PostgresURL(t))
	i := p.StartInstance(t, Program(t))
	person := At(i.Port).NewPerson()
	if err := person.Register(t.Context(), p.Messages); err != nil {
		t.Fatal(err)
	}
	if arrived, err := person.SignIn(t.Context()); err != nil || arrived == "" {
		t.Fatal(arrived, err)
	}
	if err := i.Stop(); err != nil {
		t.Fatal(err)
	}
}

func TestLoadReportsEveryRequest(t *testing.T) {
	l := StartLoad(200, func(_ context.Context, number int) error {
		if number%2 == 1 {
			return os.ErrInvalid
		}
		return nil
	})
	WaitFor(t, "ten requests", nil, func() error {
		if well, badly := l.Done(); well < 5 || badly < 5 {
			return errNotYet
		}
		return nil
	})
	r := l.Stop()
	if d := len(r.Times) - len(r.Failed); d < 0 || d > 1 {
		t.Error(r)
	}
}
