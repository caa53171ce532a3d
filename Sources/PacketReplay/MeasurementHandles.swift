import Bluetooth
import PacketLog

/// Finds the attribute handle of Heart Rate Measurement if the log contains values before the declaration of
/// the characteristic, or no declaration.
///
/// A handle is accepted as Heart Rate Measurement if one of these conditions is met:
/// 1. the log contains its declaration, even after its values
/// 2. the caller named it
/// 3. a client has enabled its notifications, and all its values are valid measurements, at least ``proof``
///   of them with a plausible heart rate
///
/// The values of a handle are held until this is known, up to ``maximumHeld`` values. The tally lists the
/// handles that were accepted for reason 2 or 3. Values of all other handles are only counted.
struct MeasurementHandles: Sendable {
  /// The number of plausible heart rates after which a handle is accepted, if a client has enabled its
  /// notifications.
  static let proof = 5
  /// Maximum number of held values of all handles together: several hours of a strap. Values of handles that
  /// are unlikely to be Heart Rate Measurement are dropped first.
  static let maximumHeld = 16_384
  /// Maximum number of handles that are examined at the same time. No real log has more.
  static let capacity = 256
  /// Maximum length of a value in bytes (Core Specification, Vol 3, Part F, §3.2.9).
  private static let greatestValue = 512

  enum Verdict {
    /// The handle is known to be Heart Rate Measurement.
    case measurement
    /// This value proves that the handle is Heart Rate Measurement. The held values before it are
    /// measurements too.
    case proven(Release)
    /// The value is a measurement, because the caller named the handle.
    case named(HandleLooks)
    /// It is not known yet whether the value is a measurement. It is counted under the given handle.
    case unresolved(HandleLooks, UnresolvedHandle)
  }

  /// The held values of a handle whose characteristic has become known.
  struct Release {
    var held: HeldValues
    /// The handle under which the values were counted.
    var counted: UnresolvedHandle
  }

  /// A server and an attribute handle. The handles of a server stay valid after a disconnection.
  private struct Key: Hashable {
    enum Server: Hashable {
      case address(BluetoothAddress)
      case link(UInt32)
    }

    var server: Server
    var handle: UInt16
  }

  private struct Watch {
    /// The position of this handle in the order in which handles were first seen.
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

  /// Handles the start of a log that continues the previous one.
  mutating func beginLog() {
    for key in watches.keys { watches[key]?.held.beginLog() }
  }

  // MARK: - Evidence from the log

  /// Records the characteristic of a handle, which the log declares.
  /// - Returns: The held values of the handle, regardless of the characteristic.
  mutating func declare(_ link: Link, _ handle: UInt16, as characteristic: BluetoothUUID) -> Release? {
    let key = key(link, handle)
    guard characteristic == .heartRateMeasurement else {
      defer { watches[key] = nil }
      return release(key)
    }
    guard watches[key]?.isAccepted == false else { return nil }
    return accept(key)
  }

  /// Records that a client enabled the notifications of a handle whose characteristic is unknown.
  /// - Returns: The held values, if they prove that the handle is Heart Rate Measurement.
  mutating func configure(_ link: Link, _ handle: UInt16, _ tally: ReplayTally) -> Release? {
    let key = key(link, handle)
    guard watch(key, link, tally, makesRoom: true), watches[key]?.isAccepted == false else { return nil }
    if watches[key]?.looks.implausible ?? 0 > 0 {
      // Some of the earlier values were implausible. The client has enabled notifications again, so ignore
      // all earlier values and examine the next ones.
      drop(key)
      watches[key]?.looks = HandleCounts()
      watches[key]?.isHolding = true
    }
    watches[key]?.isConfigured = true
    return isProven(key) ? accept(key) : nil
  }

  mutating func connect(_ link: Link, at time: ReceiptTime) { mark(link, .began(time)) }

  /// Records that values may be missing: of one link, or of all links if `link` is `nil`.
  mutating func miss(_ link: Link?, at time: ReceiptTime) {
    guard heldCount > 0 else { return }
    let server = link.map { key($0, 0).server }
    for key in watches.keys where server == nil || key.server == server {
      watches[key]?.held.mark(.missed(time))
    }
  }

  /// Records a disconnection. If the peer's address is unknown, everything known about its handles is
  /// dropped.
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

  /// Determines whether a value is a measurement, and holds the value if this is not known yet.
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
    // Do not count a retransmission again.
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

  /// Determines whether a value that is truncated in the log can be a measurement. The missing bytes are
  /// filled with zeros, so that the flags and the length can be checked. Without a heart rate, the value is
  /// no evidence either way.
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

  // MARK: - Held values

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

  /// Drops the held values of one handle: of the handles that are unlikely to be Heart Rate Measurement, the
  /// one with the most values.
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

  // MARK: - Examined handles

  private func key(_ link: Link, _ handle: UInt16) -> Key {
    Key(server: link.peer.map(Key.Server.address) ?? .link(link.id), handle: handle)
  }

  /// Begins to examine a handle.
  /// - Parameters:
  ///   - tally: The counts, which determine the handle under which values are counted.
  ///   - makesRoom: Whether a handle for which there are only values may be dropped in favor of this one.
  /// - Returns: Whether the handle is examined; `false` if there are too many.
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
