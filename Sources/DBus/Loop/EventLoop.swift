internal import Synchronization

/// A thread that waits for descriptors, timers and jobs, and runs their handlers one after another.
///
/// Several connections can share an event loop, and tasks can run on it too (``taskExecutor``), so that the
/// thread that reads a message also handles it. Switching threads would cost several times as much as all
/// other processing of a message.
///
/// The thread ends when the event loop is released. Handlers must not block.
public final class EventLoop: Sendable {
  let thread: LoopThread
  private let serialExecutor: LoopSerialExecutor
  private let executor: LoopTaskExecutor

  public init() {
    thread = LoopThread()
    executor = LoopTaskExecutor(thread)
    serialExecutor = LoopSerialExecutor(thread, executor)
    thread.start()
  }

  deinit { thread.end() }

  /// The executor for actors that run on the event loop's thread. Callbacks of the loop can use
  /// `assumeIsolated` of such an actor.
  public var unownedExecutor: UnownedSerialExecutor { serialExecutor.asUnownedSerialExecutor() }

  /// The executor for `withTaskExecutorPreference`. Tasks on it must not block. They keep the event loop
  /// alive.
  public var taskExecutor: some TaskExecutor { executor }
}

/// Runs actors on the event loop's thread.
private final class LoopSerialExecutor: SerialExecutor {
  private let thread: LoopThread
  private let taskExecutor: LoopTaskExecutor

  init(_ thread: LoopThread, _ taskExecutor: LoopTaskExecutor) {
    self.thread = thread
    self.taskExecutor = taskExecutor
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // Pass the task executor too. Otherwise, a task that prefers it would be enqueued again at each step.
    thread.perform {
      job.runSynchronously(
        isolatedTo: self.asUnownedSerialExecutor(), taskExecutor: self.taskExecutor.asUnownedTaskExecutor())
    }
  }

  func checkIsolated() { precondition(thread.isCurrent, "not on the loop's thread") }

  func isIsolatingCurrentContext() -> Bool? { thread.isCurrent }
}

/// Runs tasks, and the default actors that they call, on the event loop's thread.
private final class LoopTaskExecutor: TaskExecutor {
  private let thread: LoopThread

  init(_ thread: LoopThread) { self.thread = thread }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    thread.perform { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

/// A timer on an event loop's thread. It can be set repeatedly.
public final class LoopTimer: Sendable {
  private let loop: EventLoop
  private let fire: @Sendable () -> Void
  private let scheduled = Mutex<LoopThread.ID?>(nil)

  /// - Parameter fire: Called on the event loop's thread, but never after the timer was released.
  public init(on loop: EventLoop, fire: @escaping @Sendable () -> Void) {
    self.loop = loop
    self.fire = fire
  }

  /// Sets the timer to fire once after `delay`, replacing the previous setting; `nil` stops the timer. Call
  /// this on the event loop's thread.
  public func set(after delay: Duration?) {
    let next = delay.map { delay in
      loop.thread.schedule(after: delay) { [weak self] in self?.ring() }
    }
    let before = scheduled.withLock { scheduled in
      defer { scheduled = next }
      return scheduled
    }
    if let before { loop.thread.cancelTimer(before) }
  }

  private func ring() {
    scheduled.withLock { $0 = nil }
    fire()
  }
}
