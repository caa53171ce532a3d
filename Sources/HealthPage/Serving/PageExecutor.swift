import Foundation

/// Runs the tasks that compute responses, at most two at a time. Even many requests do not take threads away
/// from a gateway in the same process.
final class PageExecutor: TaskExecutor {
  /// The name of the dispatch queue. Tests check for it.
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
