internal import CDBus
internal import Glibc
internal import Synchronization

/// CLOCK_BOOTTIME, which also counts the time that the machine sleeps.
enum BootClock {
  static func nanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}

/// The thread of an ``EventLoop``.
// @unchecked: `inbox` has a lock. Only the thread itself uses the other properties, and each method that does
// so checks that it runs on that thread.
final class LoopThread: @unchecked Sendable {
  /// The ID of a watch or a timer.
  typealias ID = UInt64

  private struct Inbox {
    var jobs: [@Sendable () -> Void] = []
    /// Whether the thread is in poll(2) or about to call it, so that it has to be woken for a new job.
    var isWaiting = false
    var isEnding = false
  }

  private struct Watch {
    let descriptor: Int32
    var events: Int16
    let ready: () -> Void
  }

  private struct Timer {
    let deadline: UInt64
    let fire: () -> Void
  }

  /// Maximum number of rounds of newly added jobs to run before the descriptors are polled.
  private static let mostRounds = 16
  /// The number of polls after which due timers fire even if descriptors are still ready. libdbus reads two
  /// kilobytes per poll, so this covers more than a socket buffer holds.
  private static let mostPolls = 512

  private let inbox = Mutex(Inbox())
  /// The jobs that are currently running. This array is swapped with the one in `inbox`, so that neither has
  /// to be reallocated.
  private var jobs: [@Sendable () -> Void] = []
  /// The thread's ID; 0 before it runs.
  private let identity = Atomic<pthread_t>(0)
  /// An eventfd that ends poll(2).
  private let wakeUp: Int32
  /// A timerfd set to the earliest deadline. The timeout of poll(2) cannot be used, because it does not count
  /// time that the machine sleeps.
  private let alarm: Int32
  private var watches: [ID: Watch] = [:] { didSet { arePolledStale = true } }
  /// The descriptors for poll(2): those of the watches in the order of `polledIDs`, then `wakeUp` and
  /// `alarm`.
  private var polled: [pollfd] = []
  private var polledIDs: [ID] = []
  private var arePolledStale = true
  private var timers: [ID: Timer] = [:] { didSet { areTimersStale = true } }
  private var areTimersStale = false
  /// The deadline that `alarm` is set to; 0 if it is off.
  private var alarmTime: UInt64 = 0
  /// The number of polls since the timerfd `alarm` fired; `nil` if no timer is due.
  private var pollsSinceAlarm: Int?
  private var lastID: ID = 0

  init() {
    wakeUp = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    alarm = timerfd_create(CLOCK_BOOTTIME, Int32(TFD_CLOEXEC | TFD_NONBLOCK))
    precondition(wakeUp >= 0 && alarm >= 0, "no descriptor for an event loop")
  }

  deinit {
    close(wakeUp)
    close(alarm)
  }

  func start() {
    let this = Unmanaged.passRetained(self)
    var thread = pthread_t()
    let status = pthread_create(
      &thread, nil,
      { data in
        guard let data else { return nil }
        Unmanaged<LoopThread>.fromOpaque(data).takeRetainedValue().run()
        return nil
      }, this.toOpaque())
    precondition(status == 0, "no thread for an event loop")
    pthread_detach(thread)
  }

  /// Ends the thread after the jobs that were already added.
  func end() {
    inbox.withLock { $0.isEnding = true }
    interrupt()
  }

  var isCurrent: Bool { identity.load(ordering: .relaxed) == pthread_self() }

  /// Runs a job on the thread, after all jobs that were added before it.
  func perform(_ job: @escaping @Sendable () -> Void) {
    let mustInterrupt = inbox.withLock { inbox in
      inbox.jobs.append(job)
      defer { inbox.isWaiting = false }
      return inbox.isWaiting
    }
    if mustInterrupt { interrupt() }
  }

  // MARK: - On the thread

  /// Calls `ready` each time poll(2) reports one of `events`, or an error, for the descriptor.
  func watch(_ descriptor: Int32, _ events: Int16, ready: @escaping () -> Void) -> ID {
    checkThread()
    lastID += 1
    watches[lastID] = Watch(descriptor: descriptor, events: events, ready: ready)
    return lastID
  }

  func setEvents(_ id: ID, _ events: Int16) {
    checkThread()
    if let known = watches[id]?.events, known != events { watches[id]?.events = events }
  }

  func removeWatch(_ id: ID) {
    checkThread()
    watches[id] = nil
  }

  /// Calls `fire` once after `delay`.
  func schedule(after delay: Duration, fire: @escaping () -> Void) -> ID {
    checkThread()
    lastID += 1
    timers[lastID] = Timer(deadline: BootClock.nanoseconds() &+ delay.nanoseconds, fire: fire)
    return lastID
  }

  func cancelTimer(_ id: ID) {
    checkThread()
    timers[id] = nil
  }

  private func checkThread() { precondition(isCurrent, "not on the loop's thread") }

  private func run() {
    identity.store(pthread_self(), ordering: .relaxed)
    while true {
      runJobs()
      if areTimersStale { setAlarm() }
      guard let mayWait = mayWait() else { break }
      wait(mayWait)
    }
    watches.removeAll()
    timers.removeAll()
  }

  /// Runs the added jobs, and any jobs that they add. The number of rounds is limited, because jobs that keep
  /// adding jobs would prevent the descriptors from being polled.
  private func runJobs() {
    for _ in 0..<Self.mostRounds {
      inbox.withLock { swap(&jobs, &$0.jobs) }
      if jobs.isEmpty { return }
      for job in jobs { job() }
      jobs.removeAll(keepingCapacity: jobs.count < 1024)
    }
  }

  /// Returns whether there are no jobs, so that the thread may wait; `nil` if the thread has to end.
  private func mayWait() -> Bool? {
    inbox.withLock { inbox -> Bool? in
      if !inbox.jobs.isEmpty { return false }
      if inbox.isEnding { return nil }
      inbox.isWaiting = true
      return true
    }
  }

  private func wait(_ mayWait: Bool) {
    if arePolledStale { gatherPolled() }
    let count = poll(&polled, nfds_t(polled.count), mayWait && pollsSinceAlarm == nil ? -1 : 0)
    inbox.withLock { $0.isWaiting = false }
    guard count > 0 || pollsSinceAlarm != nil else { return }
    if polled[polledIDs.count].revents != 0 { Self.drain(wakeUp) }
    if polled[polledIDs.count + 1].revents != 0 {
      Self.drain(alarm)
      alarmTime = 0
      pollsSinceAlarm = pollsSinceAlarm ?? 0
    }
    let isQuiet = !callReadyWatches()
    // A timer may report a timeout, so first handle all received messages and run the tasks that wait for
    // them. Limit this, because a peer that never stops sending must not block the timers.
    guard let polls = pollsSinceAlarm else { return }
    pollsSinceAlarm = polls + 1
    if isQuiet && isIdle || polls >= Self.mostPolls { fireTimers() }
  }

  /// Calls the handlers of the ready descriptors.
  ///
  /// - Returns: Whether any descriptor was ready.
  private func callReadyWatches() -> Bool {
    var wasReady = false
    for index in polledIDs.indices where polled[index].revents != 0 {
      wasReady = true
      watches[polledIDs[index]]?.ready()
      // The handler has changed the watches, so the indices are no longer valid. The remaining descriptors
      // are polled again.
      if arePolledStale { return true }
    }
    return wasReady
  }

  private var isIdle: Bool { inbox.withLock { $0.jobs.isEmpty } }

  private func gatherPolled() {
    polledIDs = Array(watches.keys)
    polled = watches.values.map { pollfd(fd: $0.descriptor, events: $0.events, revents: 0) }
    polled += [wakeUp, alarm].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    arePolledStale = false
  }

  private func setAlarm() {
    areTimersStale = false
    let next = timers.values.map(\.deadline).min() ?? 0
    guard next != alarmTime else { return }
    alarmTime = next
    // Zero disables the timer. A time in the past fires at once.
    var setting = itimerspec()
    setting.it_value.tv_sec = Int(next / 1_000_000_000)
    setting.it_value.tv_nsec = Int(next % 1_000_000_000)
    timerfd_settime(alarm, Int32(TFD_TIMER_ABSTIME), &setting, nil)
  }

  private func fireTimers() {
    pollsSinceAlarm = nil
    areTimersStale = true
    let now = BootClock.nanoseconds()
    let due = timers.filter { $0.value.deadline <= now }.sorted { $0.value.deadline < $1.value.deadline }
    for (id, timer) in due where timers.removeValue(forKey: id) != nil { timer.fire() }
  }

  private func interrupt() {
    var one: UInt64 = 1
    _ = write(wakeUp, &one, 8)
  }

  private static func drain(_ descriptor: Int32) {
    var count: UInt64 = 0
    _ = read(descriptor, &count, 8)
  }
}

extension Duration {
  /// The duration in nanoseconds: 0 if it is negative, at most about three years.
  fileprivate var nanoseconds: UInt64 {
    let (seconds, attoseconds) = components
    if seconds < 0 { return 0 }
    if seconds > 100_000_000 { return 100_000_000_000_000_000 }
    return UInt64(seconds) * 1_000_000_000 + UInt64(max(0, attoseconds) / 1_000_000_000)
  }
}
