internal import CDBus
internal import Glibc

/// The socket to the bus, used on the loop's thread alone: reads frames, writes messages. Exists as long as
/// the connection is open.
final class Wire {
  private enum Phase {
    case authenticating(Authentication)
    case open
  }

  private let socket: BusSocket
  private let thread: LoopThread
  private var phase: Phase
  private var input = FrameBuffer()
  private var output = WriteQueue()
  /// Messages that wait until the bus has taken us.
  private var held = WriteQueue()
  private var isWritable = true
  private var watches: (readable: LoopThread.ID, writable: LoopThread.ID)?
  private var lastSerial: UInt32 = 0
  /// No message has come.
  private var isUnheard = true
  /// How often the socket was ready, or waited for. On an idle connection this stands still.
  private(set) var wakeUps: UInt64 = 0

  /// Nothing has been read or written yet.
  ///
  /// - Parameter guid: what the server has to call itself; nil for anything.
  init(_ socket: BusSocket, guid: String?, on thread: LoopThread) {
    // libdbus, which reads and writes messages for several threads, shares what it keeps between them.
    dbus_threads_init_default()
    self.socket = socket
    self.thread = thread
    phase = .authenticating(Authentication(user: geteuid(), guid: guid))
  }

  /// Says who we are, and begins to watch the socket.
  ///
  /// - Parameters:
  ///   - readable: called while there is something to be read, or the bus is gone; has to call `read`.
  ///   - writable: called while what waited can be written; has to call `flush`.
  func start(readable: @escaping () -> Void, writable: @escaping () -> Void) {
    watches = (
      thread.watch(socket.descriptor, Int16(POLLIN), isOn: true) { _ in readable() },
      thread.watch(socket.descriptor, Int16(POLLOUT), isOn: false) { _ in writable() }
    )
    if case .authenticating(let authentication) = phase { output.append(authentication.opening) }
    flush()
  }

  // MARK: - Writing

  /// Queues a message, and writes what the kernel takes.
  ///
  /// - Returns: the serial of the message.
  func send(_ message: OutgoingMessage) -> UInt32 {
    // 0 is none.
    lastSerial = lastSerial == .max ? 1 : lastSerial + 1
    let octets = message.encoded(serial: lastSerial)
    switch phase {
    case .authenticating: held.append(octets)
    // It is read to its end, and takes nothing any more: the call fails with the connection.
    case .open where !isWritable: break
    case .open:
      output.append(octets)
      flush()
    }
    return lastSerial
  }

  /// Writes what waits, as much as the kernel takes.
  func flush() {
    while isWritable, !output.isEmpty {
      let outcome = output.drain { octets in
        let outcome = socket.write(octets)
        if case .done(let count) = outcome { return (outcome, taken: count) }
        return (outcome, taken: 0)
      }
      if case .failed = outcome {
        // What the bus said before it went is still to be read, and then that it went.
        isWritable = false
        output.removeAll()
        socket.endWriting()
      } else if outcome == .notNow {
        break
      }
    }
    if let watches { thread.setWatch(watches.writable, isOn: isWritable && !output.isEmpty) }
  }

  // MARK: - Reading

  /// Reads once, and hands on the frames that are whole.
  ///
  /// - Parameters:
  ///   - wants: whether a long message is wanted, by the beginning of its frame, and when that was read.
  ///   - receive: a frame, and when it was read (CLOCK_BOOTTIME, nanoseconds).
  /// - Throws: `BusError` with `.disconnected` and why the connection is at its end, with
  ///   `.authenticationFailed` where the bus does not take us, and what `receive` throws; what came before it
  ///   was handed on.
  func read(
    wants: (RawSpan, UInt64) -> Bool = { _, _ in true },
    _ receive: (RawSpan, UInt64) throws(BusError) -> Void
  ) throws(BusError) {
    wakeUps += 1
    // Taken out, so that whoever gets a frame of it may do to this what he likes.
    var input = FrameBuffer()
    swap(&input, &self.input)
    defer { swap(&input, &self.input) }
    let outcome = input.fill { room in
      let outcome = socket.read(into: room)
      if case .done(let count) = outcome { return (outcome, filled: count) }
      return (outcome, filled: 0)
    }
    // After the read, for what it brought came before; and before anything else.
    let time = BootClock.nanoseconds()
    switch outcome {
    case .notNow: return
    case .end: throw loss("the bus closed the connection")
    case .failed(let why): throw loss("the connection to the bus broke: \(why)")
    case .done: break
    }
    try authenticate(by: &input)
    guard case .open = phase else { return }
    isUnheard = isUnheard && input.isEmpty
    while let frame = try input.nextFrame(wants: { wants($0, time) }) {
      try receive(input.octets.span.bytes.extracting(frame), time)
    }
  }

  /// A bus whose policy denies the connection closes it when it should say its first word.
  private func loss(_ why: String) -> BusError {
    guard case .open = phase, isUnheard else { return BusError(.disconnected, why) }
    return BusError(
      .authenticationFailed,
      "\(why) without a word: its policy may not let in this user (number \(geteuid()))")
  }

  private func authenticate(by input: inout FrameBuffer) throws(BusError) {
    guard case .authenticating(var authentication) = phase else { return }
    while let octet = input.nextOctet() {
      guard try authentication.receive(octet) else { continue }
      phase = .open
      output.append(Authentication.ending)
      output.append(held.takeAll())
      return flush()
    }
    phase = .authenticating(authentication)
  }

  // MARK: - The end

  /// Writes out what is queued, for as long as a peer that does not read may hold us up, and closes.
  func close(flushing limit: Duration) {
    writeOut(until: ContinuousClock.now + limit)
    if let watches {
      thread.removeWatch(watches.readable)
      thread.removeWatch(watches.writable)
    }
    watches = nil
    isWritable = false
    socket.close()
  }

  private func writeOut(until deadline: ContinuousClock.Instant) {
    guard isWritable, !output.isEmpty else { return }
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 << 10, alignment: 1)
    defer { room.deallocate() }
    // A bus whose words nobody reads may stop reading ours.
    var events = POLLIN | POLLOUT
    while isWritable, !output.isEmpty {
      let left = deadline - ContinuousClock.now
      guard left > .zero else { return }
      wakeUps += 1
      socket.wait(for: events, upTo: left)
      // One that says nothing any more may still read, and its end could be read again and again.
      switch socket.read(into: room) {
      case .end, .failed: events = POLLOUT
      case .done, .notNow: break
      }
      flush()
    }
  }
}
