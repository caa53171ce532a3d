internal import CDBus
internal import Glibc
internal import Synchronization

/// The thread of an ``EventLoop``.
///
/// `@unchecked`: what is not under the lock is touched by the thread itself alone, and each method that does so checks it.
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

  private let inbox = Mutex(Inbox())
  private let identity = Mutex<pthread_t?>(nil)
  /// Written to so that the thread waits no longer.
  private let bell: Int32
  private var watches: [ID: Watch] = [:] { didSet { arePolledStale = true } }
  /// What is polled, the bell last, and whose each of the others is: made when watches have changed.
  private var polled: [pollfd] = []
  private var polledIDs: [ID] = []
  private var arePolledStale = true
  private var timers: [ID: Timer] = [:]
  private var lastID: ID = 0

  init() {
    bell = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    // Without a descriptor or a thread nothing of the process works any more.
    precondition(bell >= 0, "no descriptor for an event loop")
  }

  deinit { close(bell) }

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

  var isCurrent: Bool { identity.withLock { $0.map { pthread_equal($0, pthread_self()) != 0 } ?? false } }

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
    identity.withLock { $0 = pthread_self() }
    while true {
      for job in takeJobs() { job() }
      fireTimers()
      guard let patience = patience() else { break }
      wait(patience)
    }
    watches.removeAll()
    timers.removeAll()
  }

  private func takeJobs() -> [@Sendable () -> Void] {
    inbox.withLock { inbox in
      defer { inbox.jobs.removeAll() }
      return inbox.jobs
    }
  }

  /// How many nanoseconds there are to wait; -1 for any number, nil at the end.
  private func patience() -> Int64? {
    inbox.withLock { inbox -> Int64? in
      if !inbox.jobs.isEmpty { return 0 }
      if inbox.isEnding { return nil }
      inbox.isWaiting = true
      guard let next = timers.values.map(\.deadline).min() else { return -1 }
      let now = BootClock.nanoseconds()
      return next > now ? Int64(clamping: next - now) : 0
    }
  }

  private func wait(_ patience: Int64) {
    if arePolledStale { gatherPolled() }
    // Rounded up: a timer that has not come yet would only make it look again.
    let milliseconds = patience < 0 ? -1 : Int32(clamping: (patience + 999_999) / 1_000_000)
    let count = poll(&polled, nfds_t(polled.count), milliseconds)
    inbox.withLock { $0.isWaiting = false }
    guard count > 0 else { return }
    if polled[polledIDs.count].revents != 0 { silence() }
    for index in polledIDs.indices {
      let events = polled[index].revents
      // The one before may have taken it away, or switched it off.
      if events != 0, let watch = watches[polledIDs[index]], watch.isOn { watch.ready(events) }
      // And it may have changed what is polled; the rest is looked at in the next round.
      if arePolledStale { return }
    }
  }

  private func gatherPolled() {
    let on = watches.filter(\.value.isOn)
    polledIDs = Array(on.keys)
    polled = on.values.map { pollfd(fd: $0.descriptor, events: $0.events, revents: 0) }
    polled.append(pollfd(fd: bell, events: Int16(POLLIN), revents: 0))
    arePolledStale = false
  }

  private func fireTimers() {
    guard !timers.isEmpty else { return }
    let now = BootClock.nanoseconds()
    let due = timers.filter { $0.value.deadline <= now }.sorted { $0.value.deadline < $1.value.deadline }
    for (id, timer) in due where timers.removeValue(forKey: id) != nil { timer.fire() }
  }

  private func ring() {
    var one: UInt64 = 1
    _ = write(bell, &one, 8)
  }

  private func silence() {
    var count: UInt64 = 0
    _ = read(bell, &count, 8)
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
