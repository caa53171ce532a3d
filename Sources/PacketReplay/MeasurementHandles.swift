import Bluetooth
import PacketLog

/// Decides which handle is Heart Rate Measurement where a value comes before the log says so.
///
/// The order of trust: the declaration, however late it comes; the handle that the caller named; then a
/// handle which a client configured for notifications and whose values all are sound measurements, enough of
/// them with a heart rate. What a handle notified until that is decided is held, so that nothing is lost but
/// what is beyond ``maximumHeld``; each decision is stated in the tally, and what argues against is counted
/// there. Anything else stays unresolved.
struct MeasurementHandles: Sendable {
  /// How many heart rates must be plausible before a configured handle is taken for Heart Rate Measurement.
  static let proof = 5
  /// How many values are held, of all handles together: hours of a strap. Those of handles that are probably
  /// something else make room first.
  static let maximumHeld = 16_384
  /// How many handles are judged at a time; more come from no real log.
  static let capacity = 256
  /// Maximum length of a value in bytes (Core Specification, Vol 3, Part F, §3.2.9).
  private static let greatestValue = 512

  enum Verdict {
    case measurement
    /// With this value the handle is proven one; those held before it are measurements too.
    case proven(Release)
    /// The value is a measurement because the caller says so.
    case named(HandleLooks)
    /// Not decided, and counted under this handle.
    case unresolved(HandleLooks, UnresolvedHandle)
  }

  /// What is no longer held, because it was decided what it is.
  struct Release {
    var held: HeldValues
    /// As what the values were counted.
    var counted: UnresolvedHandle
  }

  /// A server and its handle: a peer's stay what they are while it comes and goes.
  private struct Key: Hashable {
    enum Server: Hashable {
      case address(BluetoothAddress)
      case link(UInt32)
    }

    var server: Server
    var handle: UInt16
  }

  private struct Watch {
    /// In which order handles came.
    let number: Int
    let counted: UnresolvedHandle
    var isAccepted = false
    var isConfigured = false
    var isHolding = true
    var looks = HandleCounts()
    var held = HeldValues()
  }

  private let named: UInt16?
  private var watches: [Key: Watch] = [:]
  private var heldCount = 0
  private var nextNumber = 0

  init(named: UInt16?) { self.named = named }

  /// Another log goes on where the one before ended.
  mutating func beginLog() {
    for key in watches.keys { watches[key]?.held.beginLog() }
  }

  // MARK: - What the log says

  /// The log names the characteristic of a handle.
  ///
  /// - Returns: What was held of the handle, whatever it is.
  mutating func declare(_ link: Link, _ handle: UInt16, as characteristic: BluetoothUUID) -> Release? {
    let key = key(link, handle)
    guard characteristic == .heartRateMeasurement else {
      defer { watches[key] = nil }
      return release(key)
    }
    guard watches[key]?.isAccepted == false else { return nil }
    return accept(key)
  }

  /// A client asked for the values of a handle that the log does not name.
  ///
  /// - Returns: What was held, where that is proof of a measurement.
  mutating func configure(_ link: Link, _ handle: UInt16, _ tally: ReplayTally) -> Release? {
    let key = key(link, handle)
    guard watch(key, link, tally, makesRoom: true), watches[key]?.isAccepted == false else { return nil }
    if watches[key]?.looks.implausible ?? 0 > 0 {
      // Whatever it was, it is asked for anew.
      drop(key)
      watches[key]?.looks = HandleCounts()
      watches[key]?.isHolding = true
    }
    watches[key]?.isConfigured = true
    return isProven(key) ? accept(key) : nil
  }

  mutating func connect(_ link: Link, at time: ReceiptTime) { mark(link, .began(time)) }

  /// Values of a link may be missing here; of all links, if there is none.
  mutating func miss(_ link: Link?, at time: ReceiptTime) {
    guard heldCount > 0 else { return }
    let server = link.map { key($0, 0).server }
    for key in watches.keys where server == nil || key.server == server {
      watches[key]?.held.mark(.missed(time))
    }
  }

  /// The link is gone. Without its peer's address, what its handles were is gone too.
  mutating func disconnect(_ link: Link, _ cause: GapCause, at time: ReceiptTime) {
    guard link.peer == nil else { return mark(link, .ended(cause, time)) }
    for key in watches.keys where key.server == .link(link.id) {
      drop(key)
      watches[key] = nil
    }
  }

  private mutating func mark(_ link: Link, _ entry: HeldValues.Entry) {
    guard heldCount > 0, let peer = link.peer else { return }
    for key in watches.keys where key.server == .address(peer) { watches[key]?.held.mark(entry) }
  }

  // MARK: - Values

  func isAccepted(_ link: Link, _ handle: UInt16) -> Bool {
    handle == named || watches[key(link, handle)]?.isAccepted == true
  }

  mutating func judge(
    _ link: Link, _ handle: UInt16, _ value: PushedValue, _ tally: ReplayTally
  ) -> Verdict {
    if handle == named { return .named(Self.looks(of: value)) }
    let key = key(link, handle)
    if watches[key]?.isAccepted == true { return .measurement }
    let looks = Self.looks(of: value)
    guard watch(key, link, tally), let counted = watches[key]?.counted else {
      return .unresolved(looks, .others)
    }
    // What came before is proof once, however often it was sent.
    if !value.isRepeatedMeasurement { watches[key]?.looks.add(looks) }
    if isProven(key), let release = accept(key) { return .proven(release) }
    hold(key, value, looks)
    return .unresolved(looks, counted)
  }

  private static func looks(of value: PushedValue) -> HandleLooks {
    guard value.wholeLength == nil else { return looks(ofBeginning: value) }
    var isSound = true
    let measurement = value.value.withBytes { bytes in
      try? HeartRateMeasurement(decoding: bytes) { _ in isSound = false }
    }
    guard isSound, let measurement else { return .implausible }
    return looks(of: measurement)
  }

  /// A value that is not all there is completed with zeros: the flags and the length decide whether a strap
  /// sends it. A value without a heart rate shows nothing.
  private static func looks(ofBeginning value: PushedValue) -> HandleLooks {
    var bytes = value.value.bytes
    let isHeartRateThere = (try? HeartRateMeasurement(decoding: bytes.span.bytes)) != nil
    let missing = max(0, (value.wholeLength ?? 0) - bytes.count)
    bytes += [UInt8](repeating: 0, count: min(missing, greatestValue))
    guard isHeartRateThere else { return .silent }
    return looks(of: PushedValue(value: AttributeValue(bytes), time: value.time))
  }

  private static func looks(of measurement: HeartRateMeasurement) -> HandleLooks {
    guard measurement.hasReading, measurement.sensorContact != .notDetected else { return .silent }
    return (20...250).contains(measurement.heartRate) ? .plausible : .implausible
  }

  private func isProven(_ key: Key) -> Bool {
    guard let watch = watches[key], watch.isConfigured else { return false }
    return watch.looks.implausible == 0 && watch.looks.plausible >= Self.proof
  }

  private mutating func accept(_ key: Key) -> Release? {
    watches[key]?.isAccepted = true
    return release(key)
  }

  // MARK: - What is held

  private mutating func hold(_ key: Key, _ value: PushedValue, _ looks: HandleLooks) {
    guard watches[key]?.isHolding == true else { return }
    if value.isRepeatedMeasurement {
      watches[key]?.held.countRepetition(looks)
      return
    }
    if heldCount >= Self.maximumHeld { makeRoom() }
    guard heldCount < Self.maximumHeld, watches[key]?.isHolding == true else {
      watches[key]?.isHolding = false
      return
    }
    watches[key]?.held.append(value, looks)
    heldCount += 1
  }

  /// Gives up the values of the handle with the most of them among those that something argues against.
  private mutating func makeRoom() {
    let unlikely = watches.filter { $0.value.looks.implausible > 0 && $0.value.held.count > 0 }
    let most = unlikely.max { one, other in
      (one.value.held.count, one.value.number) < (other.value.held.count, other.value.number)
    }
    guard let key = most?.key else { return }
    drop(key)
    watches[key]?.isHolding = false
  }

  private mutating func drop(_ key: Key) {
    heldCount -= watches[key]?.held.count ?? 0
    watches[key]?.held = HeldValues()
  }

  private mutating func release(_ key: Key) -> Release? {
    guard let watch = watches[key] else { return nil }
    drop(key)
    return Release(held: watch.held, counted: watch.counted)
  }

  // MARK: - Which handles are watched

  private func key(_ link: Link, _ handle: UInt16) -> Key {
    Key(server: link.peer.map(Key.Server.address) ?? .link(link.id), handle: handle)
  }

  /// - Parameters:
  ///   - tally: Says under which handle a value is counted.
  ///   - makesRoom: The log says something of the handle, so another that only notifies may go.
  /// - Returns: Whether the handle is watched.
  private mutating func watch(
    _ key: Key, _ link: Link, _ tally: ReplayTally? = nil, makesRoom: Bool = false
  ) -> Bool {
    guard watches[key] == nil else { return true }
    if watches.count >= Self.capacity, makesRoom {
      let idle = watches.filter { !$0.value.isConfigured && !$0.value.isAccepted }
      if let oldest = idle.min(by: { $0.value.number < $1.value.number })?.key {
        drop(oldest)
        watches[oldest] = nil
      }
    }
    guard watches.count < Self.capacity else { return false }
    let own = UnresolvedHandle(peer: link.peer, handle: key.handle)
    watches[key] = Watch(number: nextNumber, counted: tally?.place(of: own) ?? own)
    nextNumber += 1
    return true
  }
}
