import Dispatch

/// Runs what waits for a disk on a queue of its own: a disk that hangs holds up nobody else.
final class DiskExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "org.hrgate.sync.files")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}
