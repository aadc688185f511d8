package portal

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"portico/store"
)

const (
	// TrialLife is how long a company that registered itself may try the platform.
	TrialLife = 15 * 24 * time.Hour
	// CompaniesADay is how many companies one person may register in a day.
	CompaniesADay = 5
	// RegistrationKept is how long the same proof gives the same company again (requirement 127).
	RegistrationKept = time.Hour
)

// RegisterInput makes a company and its first administrator. A phone is proven by its code, or by being signed in
// (Session). Add says that a company is to be added to a phone that is registered already; Password is then not needed.
// SandboxID is the trial that becomes the company, 0 for a new one.
type RegisterInput struct {
	Phone       string `form:"phone" json:"phone_"`
	Code        string `form:"code" json:"code_"`
	Password    string `form:"password" json:"password_"`
	Name        string `form:"name" json:"name_"`
	CompanyName string `form:"company_name" json:"company_name_"`
	Agree       bool   `form:"agree" json:"agree_"`
	Add         bool   `form:"add"`
	SandboxID   int64  `form:"sandbox"`

	Session Session
	Flow    string
	Version string // of the agreement as it was shown
	Lang    string
	Begin   LoginInput // what the new session keeps of the browser
	Client  Client     // "" for a browser
}

// Registered is a company of one's own, and the session one has in it: Token is "" where the browser keeps the one it
// had. User has its token, for an API client alone.
type Registered struct {
	LoginResult
	Member store.Member
	User   User
}

// Register makes a company, its administrator and a session, all or nothing (requirement 123). The same proof again
// gives the same company, or WrongParameters where something else is asked for with it (requirement 127). Refused:
// malformed fields, CodeWrong, CodeExpired, PhoneRegistered, TooManyAttempts past CompaniesADay.
func (p *Portal) Register(ctx context.Context, in RegisterInput) (Registered, error) {
	person, err := p.registrant(ctx, &in)
	if err != nil {
		return Registered{}, err
	}
	by := madeBy{p.registrationID(in.Session, in.Flow, in.Phone, in.Code, in.CompanyName), contentOf(in.Name, in.CompanyName, decimal(in.SandboxID)), in.Phone, ForRegister}
	var result Registered
	err = p.onlyOnce(ctx, by, func() error {
		result, err = p.register(ctx, in, person, by)
		return err
	}, func(made store.Registration) error {
		result, err = p.registeredAgain(ctx, in, made)
		return err
	})
	return result, err
}

// registrationID is the id of what a proof makes: of a code in its flow, or of a session and the company's name.
func (p *Portal) registrationID(s Session, flow, phone, code, company string) string {
	if s.ID != "" {
		return p.tag("registration", "session\x00"+s.ID+"\x00"+company)
	}
	return p.tag("registration", "code\x00"+flow+"\x00"+phone+"\x00"+code)
}

func contentOf(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:])
}

// madeBy is a proof: the id of what it makes, what is asked for, and the phone and purpose of its code.
type madeBy struct {
	id, content string
	phone       string
	purpose     Purpose
}

// errMadeBefore says that a right proof was used up: what it made is to be found.
var errMadeBefore = errors.New("portal: the proof made something before")

// lookingUp keeps the tries of looking something up apart from those of a code: anyone can use these up.
const lookingUp Purpose = " again"

// onlyOnce makes something with a proof, or gives what the proof made before: also when another request with the same
// proof was faster. Looking that up with a code counts as a try of the code, which would else be guessed here.
func (p *Portal) onlyOnce(ctx context.Context, by madeBy, make func() error, again func(store.Registration) error) error {
	defer p.proofs.hold(by.id)() // one at a time: who comes second waits for what the first one makes
	err := make()
	shown := errors.Is(err, errMadeBefore) // the proof was right, and somebody was faster
	if !shown && !errors.Is(err, CodeExpired) {
		return err
	}
	if !shown {
		if err := p.countTry(ctx, by.phone, by.purpose+lookingUp); err != nil {
			return err
		}
	}
	made, missing := p.db.RegistrationByID(ctx, by.id, store.At(p.now().Add(-RegistrationKept)))
	switch {
	case errors.Is(missing, store.ErrNotFound):
		return err
	case missing != nil:
		return missing
	case made.Content != by.content:
		return &Refused{Refusal: WrongParameters}
	}
	if !shown && !p.noLimit { // it was no guess
		if err := p.db.LowerAttempts(ctx, p.triesKey(by.phone, by.purpose+lookingUp), 1); err != nil {
			return err
		}
	}
	return again(made)
}

// noteMade notes what a proof makes; errMadeBefore when it made something already.
func (p *Portal) noteMade(ctx context.Context, tx *store.DB, by madeBy, m store.Member) error {
	now := p.now()
	fresh, err := tx.AddRegistration(ctx, store.Registration{ID: by.id, Content: by.content, CompanyID: m.CompanyID, AccountID: m.ID, At: store.At(now)}, store.At(now.Add(-RegistrationKept)))
	if err == nil && !fresh {
		err = errMadeBefore
	}
	return err
}

// madeFor reads the account that a proof of a phone has made; CodeExpired when it is not that phone's any more.
func (p *Portal) madeFor(ctx context.Context, tx *store.DB, made store.Registration, phone string) (store.Member, error) {
	m, err := tx.MemberByID(ctx, made.CompanyID, made.AccountID)
	if errors.Is(err, store.ErrNotFound) || err == nil && m.Phone != phone {
		err = &Refused{Refusal: CodeExpired}
	}
	return m, err
}

// keyedLock lets one at a time do something under a name.
type keyedLock struct {
	mu   sync.Mutex
	held map[string]*heldKey
}

type heldKey struct {
	sync.Mutex
	users int
}

// hold waits for its turn, and gives what ends it.
func (l *keyedLock) hold(name string) (release func()) {
	l.mu.Lock()
	if l.held == nil {
		l.held = map[string]*heldKey{}
	}
	key := l.held[name]
	if key == nil {
		key = new(heldKey)
		l.held[name] = key
	}
	key.users++
	l.mu.Unlock()
	key.Lock()
	return func() {
		key.Unlock()
		l.mu.Lock()
		if key.users--; key.users == 0 {
			delete(l.held, name)
		}
		l.mu.Unlock()
	}
}

// spendOnce is spend for what onlyOnce makes.
func (p *Portal) spendOnce(ctx context.Context, tx *store.DB, proof codeProof) error {
	err := p.spend(ctx, tx, proof)
	if errors.Is(err, CodeExpired) {
		err = errors.Join(err, errMadeBefore)
	}
	return err
}

// registrant puts what was typed into its one spelling and finds the person who is signed in, zero for a phone that is
// still to be proven.
func (p *Portal) registrant(ctx context.Context, in *RegisterInput) (store.Phone, error) {
	fields := Fields{}
	var person store.Phone
	if in.Session.ID == "" {
		fields = phoneFields(&in.Phone)
		if problem := codeProblem(in.Code); problem != "" {
			fields["code"] = problem
		}
		in.Code, _ = normalCode(in.Code)
	} else {
		if in.Session.PhoneID == 0 {
			return person, &Refused{Refusal: WrongParameters}
		}
		var err error
		if person, err = p.db.PhoneByID(ctx, in.Session.PhoneID); err != nil {
			return person, err
		}
		in.Phone = person.Phone
	}
	nameField(fields, &in.Name)
	company, ok := NormalText(in.CompanyName, MaxCompanyName)
	switch {
	case !ok:
		fields["company_name"] = CompanyMalformed
	case company == "":
		fields["company_name"] = CompanyRequired
	}
	in.CompanyName = company
	if !in.Agree {
		fields["agree"] = AgreeRequired
	}
	if needsPassword := person.ID != 0 && person.PasswordHash == "" || person.ID == 0 && !in.Add; needsPassword {
		if problem := p.password.Check(in.Password, in.about()); problem != "" {
			fields["password"] = problem
		}
	}
	return person, invalid(fields)
}

func (in *RegisterInput) about() PasswordContext {
	return PasswordContext{Phone: in.Phone, Name: in.Name, Company: in.CompanyName}
}

// nameField puts a person's name into its one spelling, or says what is wrong with it.
func nameField(fields Fields, name *string) {
	clean, ok := NormalText(*name, MaxName)
	switch {
	case !ok:
		fields["name"] = NameMalformed
		return
	case clean == "":
		fields["name"] = NameRequired
	}
	*name = clean
}

// register is Register for a proof that has made nothing yet.
func (p *Portal) register(ctx context.Context, in RegisterInput, person store.Phone, by madeBy) (Registered, error) {
	var proof codeProof
	var err error
	if in.Session.ID == "" {
		if proof, err = p.proveCode(ctx, in.Phone, ForRegister, 0, in.Flow, targetPhone, in.Code); err != nil {
			return Registered{}, err
		}
		if person, _, err = p.person(ctx, in.Phone); err != nil {
			return Registered{}, err
		}
		if person.PasswordHash != "" && !in.Add {
			return Registered{}, errors.Join(&Refused{Refusal: PhoneRegistered}, errMadeBefore)
		}
	}
	if err := p.free(ctx, person); err != nil {
		return Registered{}, err
	}
	hash, err := p.firstPassword(ctx, person, in.Password, in.about())
	if err != nil {
		return Registered{}, err
	}
	var result Registered
	err = p.db.Tx(ctx, func(tx *store.DB) error {
		if in.Session.ID == "" {
			if err := p.spendOnce(ctx, tx, proof); err != nil {
				return err
			}
		}
		known := person.ID != 0
		if person, err = p.settlePerson(ctx, tx, in.Phone, person, hash, in.Session.Family); err != nil {
			return err
		}
		if result.Member, err = p.makeCompany(ctx, tx, in, person, known && hash != ""); err != nil {
			return err
		}
		m := result.Member
		if err := p.noteMade(ctx, tx, by, m); err != nil {
			return err
		}
		if err := p.mayRegister(ctx, tx, person); err != nil {
			return err
		}
		if err := p.accept(ctx, tx, person, m.CompanyID, in.Version, in.Lang); err != nil {
			return err
		}
		if err := p.event(ctx, tx, "company_registered", m, ""); err != nil {
			return err
		}
		return p.enterOwn(ctx, tx, in, person, &result)
	})
	if err != nil {
		return Registered{}, err
	}
	return result, nil
}

// free refuses a person whose company keeps its phones to itself another one (contract section 5).
func (p *Portal) free(ctx context.Context, person store.Phone) error {
	members, err := p.db.MembersByPhone(ctx, person.ID)
	if err != nil {
		return err
	}
	return exclusive(store.Member{}, members)
}

// firstPassword hashes the password of a person who has none yet, "" for one who has.
func (p *Portal) firstPassword(ctx context.Context, person store.Phone, password string, about PasswordContext) (hash string, err error) {
	if person.PasswordHash != "" {
		return "", nil
	}
	if problem := p.password.Check(password, about); problem != "" {
		return "", invalid(Fields{"password": problem})
	}
	if err := p.checkNewPassword(ctx, candidate{subject: phoneSubject(person.ID), phone: person}, password, ""); err != nil {
		return "", err
	}
	return p.hasher.hash(ctx, password)
}

// settlePerson makes the person of a proven phone, or gives the one there is a first password; what was planted before
// ends, but for the family kept (requirement 43).
func (p *Portal) settlePerson(ctx context.Context, tx *store.DB, number string, person store.Phone, hash, kept string) (store.Phone, error) {
	if person.ID == 0 {
		id, err := tx.AddPhone(ctx, store.Phone{Phone: number, PasswordHash: hash, CreatedAt: store.At(p.now())})
		if err == nil && id == 0 { // registered meanwhile, by another proof
			err = &Refused{Refusal: PhoneRegistered}
		}
		if err != nil {
			return store.Phone{}, err
		}
		return tx.PhoneByID(ctx, id)
	}
	now, err := tx.PhoneByID(ctx, person.ID)
	if err != nil {
		return now, err
	}
	if now.Phone != person.Phone { // the number went to somebody else meanwhile
		return now, &Refused{Refusal: DataAbnormal}
	}
	if hash == "" {
		return now, nil
	}
	if now.PasswordHash != "" {
		return now, &Refused{Refusal: PhoneRegistered}
	}
	owner := candidate{subject: phoneSubject(person.ID), phone: person}
	return now, p.setPassword(ctx, tx, owner, hash, "password_set", kept)
}

func (p *Portal) mayRegister(ctx context.Context, tx *store.DB, person store.Phone) error {
	if p.noLimit {
		return nil
	}
	now := p.now()
	a, err := tx.RaiseAttempts(ctx, "companies:"+decimal(person.ID), store.At(now), store.At(now.Add(-day)))
	if err == nil && a.WindowFailures > CompaniesADay {
		err = &Refused{Refusal: TooManyAttempts, Wait: a.WindowFrom.Time().Add(day).Sub(now)}
	}
	return err
}

// makeCompany makes the company and its administrator; a trial of the platform becomes the company where one is named,
// or, with latest, the person's latest.
func (p *Portal) makeCompany(ctx context.Context, tx *store.DB, in RegisterInput, person store.Phone, latest bool) (store.Member, error) {
	now := p.now()
	c := store.Company{
		ID: in.SandboxID, Name: in.CompanyName, Language: in.Lang, Standing: store.Trial, EndsAt: store.At(now.Add(TrialLife)), Mall: store.MallOpen,
		CreatedAt: store.At(now), UpdatedAt: store.At(now),
	}
	if c.ID == 0 && latest {
		tried, err := tx.Sandboxes(ctx, person.ID, store.At(now))
		if err != nil {
			return store.Member{}, err
		}
		if len(tried) > 0 {
			c.ID = tried[0].CompanyID
		}
	}
	if c.ID != 0 {
		return p.adopt(ctx, tx, c, person, in.Name)
	}
	var err error
	if c.ID, err = tx.AddCompany(ctx, c); err != nil {
		return store.Member{}, err
	}
	id, err := p.addOwnAccount(ctx, tx, store.Account{CompanyID: c.ID, Side: store.Mgr, Type: store.TypeAdministrator, Name: in.Name, PhoneID: person.ID}, "admin")
	if err != nil {
		return store.Member{}, err
	}
	return tx.MemberByID(ctx, c.ID, id)
}

// adopt makes a trial the person's company: what was made in it stays. WrongParameters where it is not theirs, or was
// made a company before.
func (p *Portal) adopt(ctx context.Context, tx *store.DB, c store.Company, person store.Phone, name string) (store.Member, error) {
	members, err := tx.MembersByPhone(ctx, person.ID)
	if err != nil {
		return store.Member{}, err
	}
	i := slices.IndexFunc(members, func(m store.Member) bool { return m.CompanyID == c.ID && m.Side == store.Mgr && m.Company.Sandbox })
	gone := errors.Join(&Refused{Refusal: WrongParameters}, errMadeBefore)
	if i < 0 {
		return store.Member{}, gone
	}
	if err := tx.AdoptSandbox(ctx, person.ID, c); err != nil {
		if errors.Is(err, store.ErrNotFound) {
			err = gone
		}
		return store.Member{}, err
	}
	if err := tx.RenameAccount(ctx, c.ID, members[i].ID, name); err != nil {
		return store.Member{}, err
	}
	return tx.MemberByID(ctx, c.ID, members[i].ID)
}

// addOwnAccount adds an account that the phone's password opens, under a login made of a word and the company's id.
func (p *Portal) addOwnAccount(ctx context.Context, tx *store.DB, a store.Account, word string) (int64, error) {
	a.State, a.CreatedAt = store.AccountActive, store.At(p.now())
	a.Login = word + decimal(a.CompanyID)
	id, err := tx.AddAccount(ctx, a)
	if err == nil && id == 0 { // somebody chose that name before
		a.Login += "-" + strings.ToLower(randomToken(6))
		id, err = tx.AddAccount(ctx, a)
	}
	if err == nil && id == 0 {
		err = errors.New("portal: no login is free for " + a.Login)
	}
	return id, err
}

func (p *Portal) accept(ctx context.Context, tx *store.DB, person store.Phone, companyID int64, version, lang string) error {
	return tx.AddAcceptance(ctx, store.Acceptance{PhoneID: person.ID, CompanyID: companyID, Version: version, Lang: lang, Address: callerOf(ctx).Address, At: store.At(p.now())})
}

// enterOwn signs the person in to a company of their own: with a new session, or in the one they have.
func (p *Portal) enterOwn(ctx context.Context, tx *store.DB, in RegisterInput, person store.Phone, result *Registered) error {
	who := candidate{subject: phoneSubject(person.ID), phone: person}
	switch {
	case in.Client != "":
		var err error
		result.User, err = p.actAs(ctx, tx, in.Client, result.Member)
		return err
	case in.Session.ID != "":
		result.Session = in.Session
	default:
		result.LoginResult = p.freshLogin(ctx, in.Begin, who)
		if err := p.begin(ctx, tx, in.Begin, who, "registration", result.LoginResult); err != nil {
			return err
		}
	}
	err := tx.ChooseCompany(ctx, result.Session.ID, result.Member.CompanyID)
	if errors.Is(err, store.ErrNotFound) {
		err = LoginRequired
	}
	return err
}

// actAs gives an API client a token of a person, to act as one of their accounts.
func (p *Portal) actAs(ctx context.Context, tx *store.DB, client Client, m store.Member) (User, error) {
	token := randomToken(32)
	s := p.newClientSession(ctx, client, token)
	s.PhoneID, s.ActingID = m.PhoneID, m.ID
	if err := tx.AddSession(ctx, s); err != nil {
		return User{}, err
	}
	user := p.userOf(m)
	user.Token = Text(token)
	return user, p.event(ctx, tx, "sign_in", m, "registration, "+string(client))
}

// registeredAgain signs in once more to what the same proof has made.
func (p *Portal) registeredAgain(ctx context.Context, in RegisterInput, made store.Registration) (Registered, error) {
	var result Registered
	err := p.db.Tx(ctx, func(tx *store.DB) error {
		m, err := p.madeFor(ctx, tx, made, in.Phone)
		if err != nil {
			return err
		}
		if reason := BlockedBy(m, false, p.now()); reason != "" {
			return p.blocked(m, reason)
		}
		person, err := tx.PhoneByID(ctx, m.PhoneID)
		if err != nil {
			return err
		}
		result.Member = m
		return p.enterOwn(ctx, tx, in, person, &result)
	})
	if err != nil {
		return Registered{}, err
	}
	return result, nil
}
