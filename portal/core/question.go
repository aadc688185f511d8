package core

import (
	"crypto/rand"
	"math/big"
	"strconv"
	"strings"
	"time"

	"portico/portal/access"
)

// QuestionLife is how long a question can be answered.
const QuestionLife = 10 * time.Minute

type sealedQuestion struct {
	Subject string `json:"s"`
	Tries   int    `json:"t"`
	Sum     int    `json:"n"`
	Until   int64  `json:"u"` // Unix ms
}

// Ask makes the question for the next try of a subject that has failed so many times in a row.
func (l *Limits) Ask(subject string, failures int) (*access.Question, error) {
	q := &access.Question{A: 10 + small(80), B: 2 + small(8)}
	var err error
	q.Token, err = l.core.Sealing.Seal(
		"question",
		sealedQuestion{
			Subject: subject, Tries: failures, Sum: q.A + q.B, Until: l.core.Now().Add(QuestionLife).UnixMilli(),
		},
	)
	return q, err
}

// Answered says whether the answer is right and the question was made for this subject and number of failures.
func (l *Limits) Answered(subject string, failures int, token, answer string) bool {
	q, right := l.answer(token, answer)
	return right && q.Subject == subject && q.Tries == failures
}

// answer opens the token of a question, and says whether the answer is right and in time.
func (l *Limits) answer(token, answer string) (q sealedQuestion, right bool) {
	if l.core.Sealing.Unseal("question", token, &q) != nil || l.Ended(q.Until) {
		return q, false
	}
	n, err := strconv.Atoi(strings.TrimSpace(answer))
	return q, err == nil && n == q.Sum
}

func small(n int64) int {
	i, err := rand.Int(rand.Reader, big.NewInt(n))
	if err != nil {
		return 0
	}
	return int(i.Int64())
}
