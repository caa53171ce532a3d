internal import CMosquitto
internal import Glibc
internal import HealthDataSync
internal import Synchronization

/// The thread of one connection. libmosquitto is used only on this thread, so it needs no locks and invokes
/// its callbacks here.
// @unchecked: all other state is under a lock or used only by the thread between start() and its end.
final class BrokerThread: @unchecked Sendable {
  enum Command: Sendable {
    case publish([Message], Promise<[ReasonCode]>)
    case subscribe([String], Promise<[ReasonCode]>)
    case close([Message])
    case abandon
  }

  /// Packets sent by one call, which returns when all of them have been acknowledged.
  private final class Batch {
    let promise: Promise<[ReasonCode]>
    /// The topic of each message, or the filter of each subscription.
    let topics: [String]
    var codes: [ReasonCode]
    var missing: Int

    init(_ promise: Promise<[ReasonCode]>, _ topics: [String]) {
      self.promise = promise
      self.topics = topics
      codes = Array(repeating: .success, count: topics.count)
      missing = topics.count
    }

    /// The topic of the first message that the broker refused because the user is not authorized.
    var deniedTopic: String? { codes.firstIndex(of: .notAuthorized).map { topics[$0] } }

    func response(_ index: Int, _ code: ReasonCode) {
      codes[index] = code
      missing -= 1
      if missing == 0 { promise.resolve(.success(codes)) }
    }
  }

  /// How long to wait for the broker to acknowledge the last messages before closing.
  private static let timeout = Duration.seconds(5)
  /// Whether libmosquitto is initialized. The first access initializes it, once per process.
  static let isInitialized = mosquitto_lib_init() == MOSQ_ERR_SUCCESS.rawValue

  let connected = Promise<Void>()
  let over = Promise<Void>()

  let settings: BrokerConnection.Settings
  private let received: @Sendable (ReceivedMessage) -> Void
  private let ended: @Sendable () -> Void
  private let inbox = Mutex<[Command]>([])
  private let end = Mutex<ExternalStoreError?>(nil)
  /// The eventfd that wakes the thread.
  private let wakeUp: Int32

  var client: OpaquePointer?
  private var published: [Int32: (batch: Batch, index: Int)] = [:]
  private var subscribed: [Int32: (batch: Batch, index: Int)] = [:]
  var attempt: ConnectionAttempt?
  var isConnected: Bool { attempt?.stage == .accepted }
  private(set) var isOver = false
  /// The broker's maximum packet size in bytes, or 0 without a limit.
  private var maximumPacketSize: UInt32 = 0
  /// The time at which a requested close stops waiting for the broker.
  private var deadline: ContinuousClock.Instant?
  private var hasLeft = false
  /// The latest error lines of libmosquitto.
  private(set) var log: [String] = []

  init(
    _ settings: BrokerConnection.Settings, received: @escaping @Sendable (ReceivedMessage) -> Void,
    ended: @escaping @Sendable () -> Void
  ) {
    self.settings = settings
    self.received = received
    self.ended = ended
    wakeUp = cmosquitto_eventfd()
  }

  deinit { if wakeUp >= 0 { Glibc.close(wakeUp) } }

  var failure: ExternalStoreError? { end.withLock(\.self) }

  func start() {
    var thread = pthread_t()
    let this = Unmanaged.passRetained(self)
    // Do not start the thread if there is no eventfd, because it could not be woken.
    let status =
      wakeUp < 0
      ? EMFILE
      : pthread_create(
        &thread, nil,
        { data in
          guard let data else { return nil }
          Unmanaged<BrokerThread>.fromOpaque(data).takeRetainedValue().run()
          return nil
        }, this.toOpaque())
    if status == 0 {
      pthread_detach(thread)
    } else {
      finish(BrokerFailure.unreachable(settings.address, code: MOSQ_ERR_ERRNO, errno: status, log: []))
      this.release()
    }
  }

  /// Passes a command to the thread. If the connection has ended, the command fails with its error.
  func perform(_ command: Command) {
    // Check for the end while the inbox is locked, otherwise a thread that is just ending could leave the
    // command in the inbox.
    let isLate = inbox.withLock { inbox in
      if failure != nil { return true }
      inbox.append(command)
      return false
    }
    if isLate { return decline(command) }
    var one: UInt64 = 1
    _ = write(wakeUp, &one, 8)
  }

  private func decline(_ command: Command) {
    switch command {
    case .publish(_, let promise), .subscribe(_, let promise):
      promise.resolve(.failure(failure ?? BrokerFailure.closed))
    case .close, .abandon: break
    }
  }

  // MARK: - The thread

  private func run() {
    // Block all signals, so that the program's other threads handle them. This includes SIGPIPE, which
    // OpenSSL may raise.
    cmosquitto_block_signals()
    connect()
    while !isOver {
      for command in drainCommands() { isOver ? decline(command) : execute(command) }
      if !isOver { leaveIfDone() }
      if !isOver { wait() }
    }
    if let client { mosquitto_destroy(client) }
  }

  private func drainCommands() -> [Command] {
    inbox.withLock { inbox in
      defer { inbox = [] }
      return inbox
    }
  }

  /// Ends the thread. All calls that wait for the broker fail with the error.
  func finish(_ reason: ExternalStoreError) {
    guard !isOver else { return }
    isOver = true
    let left = inbox.withLock { inbox in
      end.withLock { $0 = $0 ?? reason }
      defer { inbox = [] }
      return inbox
    }
    connected.resolve(.failure(reason))
    for waiting in Array(published.values) + Array(subscribed.values) {
      // If the broker refused a message before it closed the connection, as mosquitto 2.0 does with
      // max_queued_messages 0, report the refusal.
      let denied = waiting.batch.deniedTopic.map {
        BrokerFailure.untaken(settings.address, .notAuthorized, topic: $0)
      }
      waiting.batch.promise.resolve(.failure(denied ?? reason))
    }
    left.forEach(decline)
    published = [:]
    subscribed = [:]
    over.resolve(.success(()))
    ended()
  }

  // MARK: - Commands

  private func execute(_ command: Command) {
    switch command {
    case .publish(let messages, let promise): publish(messages, Batch(promise, messages.map(\.topic)))
    case .subscribe(let filters, let promise): subscribe(filters, Batch(promise, filters))
    case .close(let lastWords):
      deadline = .now + Self.timeout
      guard isConnected else { return finish(BrokerFailure.closed) }
      publish(lastWords, Batch(Promise(), lastWords.map(\.topic)))
    // If the connection is already closing, let it finish.
    case .abandon: if deadline == nil { finish(BrokerFailure.closed) }
    }
  }

  private func publish(_ messages: [Message], _ batch: Batch) {
    if messages.isEmpty { batch.promise.resolve(.success([])) }
    for (index, message) in messages.enumerated() where !isOver {
      guard message.isPossible, maximumPacketSize == 0 || message.packetSize <= Int(maximumPacketSize) else {
        batch.response(index, .packetTooLarge)
        continue
      }
      var mid: Int32 = 0
      switch mosq_err_t(send(message, &mid)) {
      case MOSQ_ERR_SUCCESS: published[mid] = (batch, index)
      case MOSQ_ERR_INVAL, MOSQ_ERR_MALFORMED_UTF8: batch.response(index, .topicNameInvalid)
      case MOSQ_ERR_OVERSIZE_PACKET, MOSQ_ERR_PAYLOAD_SIZE: batch.response(index, .packetTooLarge)
      case let code:
        // Record the packet first, so that this call also fails if the check ends the connection.
        published[mid] = (batch, index)
        check(code.rawValue, errno)
      }
    }
  }

  private func send(_ message: Message, _ mid: inout Int32) -> Int32 {
    var properties: OpaquePointer?
    defer { mosquitto_property_free_all(&properties) }
    if let expiry = message.expiry {
      let code = mosquitto_property_add_int32(
        &properties, Int32(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL.rawValue), expiry)
      guard code == MOSQ_ERR_SUCCESS.rawValue else { return code }
    }
    return mosquitto_publish_v5(
      client, &mid, message.topic, Int32(message.payload.count), message.payload, 1, message.isRetained,
      properties)
  }

  private func subscribe(_ filters: [String], _ batch: Batch) {
    for (index, filter) in filters.enumerated() where !isOver {
      var mid: Int32 = 0
      let code = mosquitto_subscribe_v5(client, &mid, filter, 1, 0, nil)
      subscribed[mid] = (batch, index)
      check(code, errno)
    }
  }

  // MARK: - The socket

  private func wait() {
    let socket = mosquitto_socket(client)
    guard socket >= 0 else { return check(MOSQ_ERR_CONN_LOST.rawValue, 0) }
    let isConnecting = attempt?.stage == .connecting
    let events = isConnecting ? POLLOUT : mosquitto_want_write(client) ? POLLIN | POLLOUT : POLLIN
    var polled = [
      pollfd(fd: socket, events: Int16(events), revents: 0),
      pollfd(fd: wakeUp, events: Int16(POLLIN), revents: 0),
    ]
    _ = poll(&polled, 2, waitingTime)
    if polled[1].revents != 0 {
      var count: UInt64 = 0
      _ = read(wakeUp, &count, 8)
    }
    if isConnecting {
      // Until the TCP connection exists, do not call libmosquitto: it would report a broker error.
      return polled[0].revents != 0 ? didReach(socket) : giveUpIfLate(socket)
    }
    if polled[0].revents & ~Int16(POLLOUT) != 0 { check(mosquitto_loop_read(client, 1), errno) }
    if !isOver, mosquitto_want_write(client) { check(mosquitto_loop_write(client, 1), errno) }
    if !isOver { check(mosquitto_loop_misc(client), errno) }
    if !isOver { giveUpIfLate(socket) }
    if let deadline, .now >= deadline { finish(BrokerFailure.closed) }
  }

  /// The poll timeout in milliseconds. One second is enough for libmosquitto's keepalive.
  private var waitingTime: Int32 {
    guard let attempt, attempt.stage != .accepted else { return 1000 }
    let left = attempt.deadline - .now
    return Int32(max(0, min(1000, (left / .milliseconds(1)).rounded(.up))))
  }

  /// Ends the thread with an error if a function of libmosquitto returned an error code.
  func check(_ code: Int32, _ errno: Int32) {
    guard code != MOSQ_ERR_SUCCESS.rawValue, !isOver else { return }
    // After a failed write, read what the broker sent before closing the connection, because it may contain
    // the reason.
    if isConnected, mosquitto_socket(client) >= 0 { _ = mosquitto_loop_read(client, 1) }
    guard !isOver else { return }
    finish(
      isConnected
        ? BrokerFailure.lost(settings.address, code: code, errno: errno, settings.clientID)
        : BrokerFailure.unreachable(settings.address, code: mosq_err_t(code), errno: errno, log: log))
  }

  /// Disconnects if a close was requested and the last messages have been acknowledged.
  private func leaveIfDone() {
    guard deadline != nil, published.isEmpty, !hasLeft else { return }
    hasLeft = true
    check(mosquitto_disconnect_v5(client, 0, nil), errno)
  }

  // MARK: - libmosquitto callbacks

  func didConnect(_ code: Int32, maximumPacketSize: UInt32) {
    guard code == 0 else {
      return finish(
        BrokerFailure.refused(settings.address, code, settings.clientID, will: settings.will?.topic))
    }
    attempt?.stage = .accepted
    self.maximumPacketSize = maximumPacketSize
    connected.resolve(.success(()))
  }

  func didDisconnect(_ code: Int32) {
    if code == 0, deadline != nil { return finish(BrokerFailure.closed) }
    check(code == 0 ? MOSQ_ERR_CONN_LOST.rawValue : code, errno)
  }

  func didPublish(_ mid: Int32, _ code: ReasonCode) {
    guard let (batch, index) = published.removeValue(forKey: mid) else { return }
    batch.response(index, code)
  }

  func didSubscribe(_ mid: Int32, _ code: ReasonCode) {
    guard let (batch, index) = subscribed.removeValue(forKey: mid) else { return }
    batch.response(index, code)
  }

  func didReceive(_ message: ReceivedMessage) { received(message) }

  func didLog(_ line: String) {
    log.append(line)
    if log.count > 8 { log.removeFirst() }
  }
}
