internal import CDBus
internal import Glibc
internal import Synchronization

/// The thread of an ``EventLoop``.
// @unchecked: what is not under the lock is touched by the thread itself alone, and each method that does so
// checks it.
final class LoopThread: @unchecked Sendable {
  /// Names a watch or a timer.
  typealias ID = UInt64

  private struct Inbox {
    var jobs: [@Sendable () -> Void] = []
    /// It waits, or is about to, and has not seen what comes now.
    var isWaiting = false
    var isEnding = false
  }

  private struct Watch {
    let descriptor: Int32
    let events: Int16
    var isOn: Bool
    let ready: (_ events: Int16) -> Void
  }

  private struct Timer {
    let deadline: UInt64
    let fire: () -> Void
  }

  /// How many generations of jobs are done before the descriptors are looked at.
  private static let mostRounds = 16
  /// How often the descriptors are looked at before timers that are due fire all the same. More than it takes
  /// to read what a socket holds.
  private static let mostLooks = 64

  private let inbox = Mutex(Inbox())
  /// What is being done, which trades places with what came meanwhile: so neither is allocated anew.
  private var jobs: [@Sendable () -> Void] = []
  /// 0 before it runs: no thread has that.
  private let identity = Atomic<pthread_t>(0)
  /// Written to so that the thread waits no longer.
  private let bell: Int32
  /// Rings at the first deadline, so that the clock need not be read each time before it waits.
  private let alarmClock: Int32
  private var watches: [ID: Watch] = [:] { didSet { arePolledStale = true } }
  /// What is polled, the bell and the alarm clock last, and whose each of the others is: made when watches
  /// have changed.
  // Read and written by the thread alone, while it waits: to have that checked at each wait is the dearest
  // part of it.
  @exclusivity(unchecked) private var polled: [pollfd] = []
  private var polledIDs: [ID] = []
  private var arePolledStale = true
  private var timers: [ID: Timer] = [:] { didSet { areTimersStale = true } }
  private var areTimersStale = false
  /// What the alarm clock is set to; 0 where it is not.
  private var alarmTime: UInt64 = 0
  /// How often the descriptors were looked at since the alarm clock rang; nil where no timer is due.
  private var looks: Int?
  private var lastID: ID = 0

  init() {
    bell = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    alarmClock = timerfd_create(CLOCK_BOOTTIME, Int32(TFD_CLOEXEC | TFD_NONBLOCK))
    // Without a descriptor or a thread nothing of the process works any more.
    precondition(bell >= 0 && alarmClock >= 0, "no descriptor for an event loop")
  }

  deinit {
    close(bell)
    close(alarmClock)
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

  /// Lets it end when it has done what it was given.
  func end() {
    inbox.withLock { $0.isEnding = true }
    ring()
  }

  // Of its own thread it is the number that this one wrote; of another, any but its own.
  var isCurrent: Bool { identity.load(ordering: .relaxed) == pthread_self() }

  /// Does it on the thread, after what it was given before.
  func perform(_ job: @escaping @Sendable () -> Void) {
    let mustRing = inbox.withLock { inbox in
      inbox.jobs.append(job)
      defer { inbox.isWaiting = false }
      return inbox.isWaiting
    }
    if mustRing { ring() }
  }

  // MARK: - On the thread

  /// Calls `ready` with what poll(2) says, whenever it says something while the watch is on.
  func watch(_ descriptor: Int32, _ events: Int16, isOn: Bool, ready: @escaping (_ events: Int16) -> Void)
    -> ID
  {
    checkThread()
    lastID += 1
    watches[lastID] = Watch(descriptor: descriptor, events: events, isOn: isOn, ready: ready)
    return lastID
  }

  func setWatch(_ id: ID, isOn: Bool) {
    checkThread()
    if watches[id]?.isOn != isOn { watches[id]?.isOn = isOn }
  }

  func removeWatch(_ id: ID) {
    checkThread()
    watches[id] = nil
  }

  /// Calls `fire` once, not before this time has passed.
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
      performJobs()
      if areTimersStale, looks == nil { setAlarmClock() }
      guard let mayWait = mayWait() else { break }
      wait(mayWait)
    }
    watches.removeAll()
    timers.removeAll()
  }

  /// A task that goes on enqueues its next step, which need not wait for a look at the descriptors; but they
  /// are not kept waiting by tasks that never end.
  private func performJobs() {
    for _ in 0..<Self.mostRounds {
      inbox.withLock { swap(&jobs, &$0.jobs) }
      if jobs.isEmpty { return }
      for job in jobs { job() }
      jobs.removeAll(keepingCapacity: jobs.count < 1024)
    }
  }

  /// Whether there is nothing to do but to wait; nil at the end.
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
    let count = poll(&polled, nfds_t(polled.count), mayWait && looks == nil ? -1 : 0)
    inbox.withLock { $0.isWaiting = false }
    guard count > 0 || looks != nil else { return }
    if polled[polledIDs.count].revents != 0 { Self.empty(bell) }
    if polled[polledIDs.count + 1].revents != 0 {
      Self.empty(alarmClock)
      alarmTime = 0
      looks = looks ?? 0
    }
    let isQuiet = !tellWatches()
    if let looks { self.looks = looks + 1 }
    // What has come is read, and whoever waits for it goes on, before anybody hears that it did not come in
    // time: so much may lie before it that it takes several looks. But whoever never stops sending holds up
    // no timer.
    if let looks, isQuiet && isIdle || looks >= Self.mostLooks { fireTimers() }
  }

  /// - Returns: Whether one was ready.
  private func tellWatches() -> Bool {
    var wasReady = false
    for index in polledIDs.indices {
      let events = polled[index].revents
      wasReady = wasReady || events != 0
      // The one before may have taken it away, or switched it off.
      if events != 0, let watch = watches[polledIDs[index]], watch.isOn { watch.ready(events) }
      // And it may have changed what is polled; the rest is looked at in the next round.
      if arePolledStale { return true }
    }
    return wasReady
  }

  /// There is no job to do.
  private var isIdle: Bool { inbox.withLock { $0.jobs.isEmpty } }

  private func gatherPolled() {
    let on = watches.filter(\.value.isOn)
    polledIDs = Array(on.keys)
    polled = on.values.map { pollfd(fd: $0.descriptor, events: $0.events, revents: 0) }
    polled += [bell, alarmClock].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    arePolledStale = false
  }

  private func setAlarmClock() {
    areTimersStale = false
    let next = timers.values.map(\.deadline).min() ?? 0
    guard next != alarmTime else { return }
    alarmTime = next
    // Zero would switch it off. A time that is past rings at once.
    var setting = itimerspec()
    setting.it_value.tv_sec = Int(next / 1_000_000_000)
    setting.it_value.tv_nsec = Int(next % 1_000_000_000)
    timerfd_settime(alarmClock, Int32(TFD_TIMER_ABSTIME), &setting, nil)
  }

  private func fireTimers() {
    looks = nil
    areTimersStale = true
    let now = BootClock.nanoseconds()
    let due = timers.filter { $0.value.deadline <= now }.sorted { $0.value.deadline < $1.value.deadline }
    for (id, timer) in due where timers.removeValue(forKey: id) != nil { timer.fire() }
  }

  private func ring() {
    var one: UInt64 = 1
    _ = write(bell, &one, 8)
  }

  private static func empty(_ descriptor: Int32) {
    var count: UInt64 = 0
    _ = read(descriptor, &count, 8)
  }
}

extension Duration {
  /// Not below zero, and at most three years.
  fileprivate var nanoseconds: UInt64 {
    let (seconds, attoseconds) = components
    if seconds < 0 { return 0 }
    if seconds > 100_000_000 { return 100_000_000_000_000_000 }
    return UInt64(seconds) * 1_000_000_000 + UInt64(max(0, attoseconds) / 1_000_000_000)
  }
}
