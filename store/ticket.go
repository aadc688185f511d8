package store

import "context"

// UseTicket stores the first use of a sign-in ticket and returns the family of the sign-in that the ticket belongs to:
// the given one for the first use, that of the first use for every later one. Uses at the same time wait for each
// other.
func (db *DB) UseTicket(ctx context.Context, id, family string, expiresAt Instant) (string, error) {
	_, err := db.exec(ctx, `INSERT INTO used_tickets (id, family, expires_at) VALUES (?, ?, ?)
		ON CONFLICT (id) DO NOTHING`, id, family, expiresAt)
	if err != nil {
		return "", err
	}
	err = db.get(ctx, &family, "SELECT family FROM used_tickets WHERE id = ?", id)
	return family, err
}

// ForgetTickets removes the uses of tickets that have expired, at most SweepStep.
func (db *DB) ForgetTickets(ctx context.Context, now Instant) (int64, error) {
	return db.exec(ctx, "DELETE FROM used_tickets WHERE id IN (SELECT id FROM used_tickets WHERE expires_at <= ? LIMIT ?)",
		now, SweepStep)
}
