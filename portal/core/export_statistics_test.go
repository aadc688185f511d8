package core

// CountMany counts one view for each of so many companies and returns how many counters are in memory.
func (s *Statistics) CountMany(companies int) (counters int) {
	for id := range companies {
		s.CountView("login", int64(2_000_000+id), OnPhone)
	}
	for i := range s.Views.shards {
		counters += len(s.Views.shards[i].counts)
	}
	return counters
}
