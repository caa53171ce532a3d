import Foundation

/// Runs the tasks that answer requests, two at a time, apart from the tasks of a gateway that serves the
/// page: those keep their threads, however much is asked.
final class PageExecutor: TaskExecutor {
  /// The name of the queue, by which tests find it.
  static let name = "org.hrgate.page"

  private let queue = OperationQueue()

  init() {
    queue.name = Self.name
    queue.maxConcurrentOperationCount = 2
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.addOperation { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}
