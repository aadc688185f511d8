package portal

import (
	"crypto/rand"
	"math/big"
	"strconv"
	"strings"
	"time"
)

// Question is the extra proof in plain HTML: a small sum. Token carries it sealed, so that the server keeps
// nothing; it is good for one subject, for one try (each failure counts on, and the question names the count)
// and for QuestionLife.
type Question struct {
	Token string
	A, B  int
}

// QuestionLife is how long a question may be answered.
const QuestionLife = 10 * time.Minute

type sealedQuestion struct {
	Subject string `json:"s"`
	Tries   int    `json:"t"`
	Sum     int    `json:"n"`
	Until   int64  `json:"u"` // Unix ms
}

// ask makes a question for the next try of a subject after so many failures in a row.
func (p *Portal) ask(subject string, failures int) (*Question, error) {
	q := &Question{A: 10 + small(80), B: 2 + small(8)}
	var err error
	q.Token, err = p.seal("question", sealedQuestion{Subject: subject, Tries: failures, Sum: q.A + q.B, Until: p.now().Add(QuestionLife).UnixMilli()})
	return q, err
}

// answered says whether the answer fits the question, and the question the subject as it now stands.
func (p *Portal) answered(subject string, failures int, token, answer string) bool {
	var q sealedQuestion
	if p.unseal("question", token, &q) != nil || q.Subject != subject || q.Tries != failures || p.ended(q.Until) {
		return false
	}
	n, err := strconv.Atoi(strings.TrimSpace(answer))
	return err == nil && n == q.Sum
}

func small(n int64) int {
	i, err := rand.Int(rand.Reader, big.NewInt(n))
	if err != nil {
		return 0
	}
	return int(i.Int64())
}
