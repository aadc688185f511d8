package testscope

import (
	"runtime"
	"sync"
)

// Together calls do from several goroutines that begin at once, each with the numbers from 0 to times-1, and returns
// when all have ended. What they share without a lock, the race detector sees; without it, the runtime ends the program
// when it finds a map that two of them change.
func Together(goroutines, times int, do func(goroutine, i int)) {
	var all sync.WaitGroup
	begin := make(chan struct{})
	for g := range goroutines {
		all.Go(func() {
			<-begin
			for i := range times {
				do(g, i)
				runtime.Gosched() // otherwise one may do all its work before the next begins
			}
		})
	}
	close(begin)
	all.Wait()
}
