import Foundation

/// Runs the tasks that compute responses, at most two at a time. A gateway that serves the page keeps its own
/// threads, however many requests there are.
final class PageExecutor: TaskExecutor {
  /// Name of the dispatch queue. Tests look for it.
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
