package statistics

// CountMany counts views of as many companies and gives how many are held.
func (s *Statistics) CountMany(companies int) (held int) {
	for id := range companies {
		s.CountView("login", int64(2_000_000+id), OnPhone)
	}
	for i := range s.Views.shards {
		held += len(s.Views.shards[i].counts)
	}
	return held
}
