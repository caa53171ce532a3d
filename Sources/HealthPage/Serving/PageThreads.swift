import NIOPosix

/// The threads on which a page answers: some, and its own. Whatever is asked of it, the tasks of the program
/// that serves it, such as a gateway's, have theirs.
final class PageThreads: TaskExecutor {
  let pool: NIOThreadPool

  init(_ count: Int) {
    pool = NIOThreadPool(numberOfThreads: count)
    pool.start()
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // Also where the pool has ended: a task that was begun goes on to its end.
    pool.submit { [self] _ in job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}
