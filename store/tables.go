package store

// Tables are the tables of the database by entity: db.Accounts.ByID reads an account. Each type is in the file of its
// entity. Some have several tables of SQL that belong together.
type Tables struct {
	Acceptances     AcceptanceTable
	Accounts        AccountTable
	Applications    ApplicationTable
	Attempts        AttemptTable
	Audit           AuditTable
	AuthCodes       AuthCodeTable
	Authorisations  AuthorisationTable
	Carts           CartTable
	Catalogue       CatalogueTable
	Clients         ClientTable
	Codes           CodeTable
	Companies       CompanyTable
	Credentials     CredentialTable
	Devices         DeviceTable
	Drafts          DraftTable
	HashKeys        HashKeyTable
	Hosts           HostTable
	IdempotencyKeys IdempotencyKeyTable
	Identities      IdentityTable
	KeptForms       KeptFormTable
	Leases          LeaseTable
	Looks           LookTable
	Offers          OfferTable
	Orders          OrderTable
	Passwords       PasswordTable
	Persons         PersonTable
	Portraits       PortraitTable
	Products        ProductTable
	ProviderTokens  ProviderTokenTable
	Registrations   RegistrationTable
	Repeats         RepeatTable
	Reports         ReportTable
	Sandboxes       SandboxTable
	Sessions        SessionTable
	Signatures      SignatureTable
	Slots           SlotTable
	Tickets         TicketTable
	Uploads         UploadTable
	Views           ViewTable
	Watchers        WatcherTable
}

// withTables makes the tables of db run their statements on db, and returns db. Each DB needs tables of its own, so
// that statements of a transaction never run outside it.
func (db *DB) withTables() *DB {
	db.Tables = Tables{
		Acceptances:     AcceptanceTable{db},
		Accounts:        AccountTable{db},
		Applications:    ApplicationTable{db},
		Attempts:        AttemptTable{db},
		Audit:           AuditTable{db},
		AuthCodes:       AuthCodeTable{db},
		Authorisations:  AuthorisationTable{db},
		Carts:           CartTable{db},
		Catalogue:       CatalogueTable{db},
		Clients:         ClientTable{db},
		Codes:           CodeTable{db},
		Companies:       CompanyTable{db},
		Credentials:     CredentialTable{db},
		Devices:         DeviceTable{db},
		Drafts:          DraftTable{db},
		HashKeys:        HashKeyTable{db},
		Hosts:           HostTable{db},
		IdempotencyKeys: IdempotencyKeyTable{db},
		Identities:      IdentityTable{db},
		KeptForms:       KeptFormTable{db},
		Leases:          LeaseTable{db},
		Looks:           LookTable{db},
		Offers:          OfferTable{db},
		Orders:          OrderTable{db},
		Passwords:       PasswordTable{db},
		Persons:         PersonTable{db},
		Portraits:       PortraitTable{db},
		Products:        ProductTable{db},
		ProviderTokens:  ProviderTokenTable{db},
		Registrations:   RegistrationTable{db},
		Repeats:         RepeatTable{db},
		Reports:         ReportTable{db},
		Sandboxes:       SandboxTable{db},
		Sessions:        SessionTable{db},
		Signatures:      SignatureTable{db},
		Slots:           SlotTable{db},
		Tickets:         TicketTable{db},
		Uploads:         UploadTable{db},
		Views:           ViewTable{db},
		Watchers:        WatcherTable{db},
	}
	return db
}

// clone returns a copy of db with tables of its own.
func (db *DB) clone() *DB {
	clone := *db
	return clone.withTables()
}
