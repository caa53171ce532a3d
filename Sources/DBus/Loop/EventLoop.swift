/// One thread that waits for descriptors, for times and for jobs, and does all that concerns a connection in
/// turn.
///
/// Several connections may share one, and the tasks that live off them may run on it too (``taskExecutor``).
/// Then a message goes from the socket to whoever waits for it without a change of threads, which costs
/// several times as much as everything else that is done for it.
///
/// The thread ends with the last reference. Nothing on it may block.
public final class EventLoop: Sendable {
  let thread: LoopThread
  let serialExecutor: LoopSerialExecutor
  private let executor: LoopTaskExecutor

  public init() {
    thread = LoopThread()
    executor = LoopTaskExecutor(thread)
    serialExecutor = LoopSerialExecutor(thread, executor)
    thread.start()
  }

  deinit { thread.end() }

  /// For an actor that is to be on the loop's thread: what it does for a message that came there costs no
  /// change of threads or tasks.
  public var unownedExecutor: UnownedSerialExecutor { serialExecutor.asUnownedSerialExecutor() }

  /// For `withTaskExecutorPreference`. Whoever prefers it must not block, and keeps the loop for as long.
  public var taskExecutor: some TaskExecutor { executor }
}

extension EventLoop {
  /// Calls `body` inside of an actor whose executor is this loop's. To be called on the loop's thread.
  ///
  /// It is `assumeIsolated` by one look at the thread. That one asks the runtime about every other executor
  /// first, since the thread runs no task here: for a signal more than reading it costs.
  @inlinable public func isolated<Isolated: Actor, Result: Sendable>(
    to actor: Isolated, _ body: (isolated Isolated) throws -> Result
  ) rethrows -> Result {
    checkThread()
    typealias Plain = (Isolated) throws -> Result
    return try withoutActuallyEscaping(body) { try unsafeBitCast($0, to: Plain.self)(actor) }
  }

  @usableFromInline func checkThread() { precondition(thread.isCurrent, "not on the loop's thread") }
}

/// An actor's isolation that is the loop's thread, so that what libdbus calls there is inside of the actor.
final class LoopSerialExecutor: SerialExecutor {
  private let thread: LoopThread
  private let taskExecutor: LoopTaskExecutor

  init(_ thread: LoopThread, _ taskExecutor: LoopTaskExecutor) {
    self.thread = thread
    self.taskExecutor = taskExecutor
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // A task that prefers the loop is where it wants to be. Were that not said, it would be enqueued anew at
    // each step.
    thread.perform {
      job.runSynchronously(
        isolatedTo: self.asUnownedSerialExecutor(), taskExecutor: self.taskExecutor.asUnownedTaskExecutor())
    }
  }

  func checkIsolated() { precondition(thread.isCurrent, "not on the loop's thread") }
}

/// Runs tasks, and default actors on behalf of tasks, on the loop's thread.
final class LoopTaskExecutor: TaskExecutor {
  private let thread: LoopThread

  init(_ thread: LoopThread) { self.thread = thread }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    thread.perform { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
