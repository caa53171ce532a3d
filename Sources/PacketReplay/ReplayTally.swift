public import Bluetooth
public import PacketLog

/// What a replay has seen so far; the counts that do not depend on what becomes of the measurements.
public struct ReplayTally: Sendable {
  public var format: PacketLogFormat?
  /// Records of the container.
  public var records = 0
  /// Those of them that do not say when they were recorded.
  public var recordsWithoutWallTime = 0
  /// Values that peers pushed, by notification or indication, whatever the characteristic.
  public var notifications = 0
  public var firstTime: ReceiptTime?
  public var lastTime: ReceiptTime?
  /// Deviations that were read over, by name.
  public var anomalies: [String: Int] = [:]
  /// Records dated before there was Bluetooth Low Energy, or later than the caller takes for possible.
  public var recordsTooEarly = 0
  public var recordsTooLate = 0
  /// The earliest and the latest time of those.
  public var earliestTime: ReceiptTime?
  public var latestTime: ReceiptTime?
  /// How often the times of a section's interface go back by more than a second.
  public var clockStepsBack = ClockSteps()
  /// How often they go ahead by more than ten minutes while a peer is connected.
  public var clockStepsAhead = ClockSteps()
  /// Sections that begin before the one before them ends.
  public var sectionsOutOfOrder = 0
  /// Records of which the recorder kept only the beginning.
  public var truncatedRecords = 0
  /// Those of them that are data packets: any may have held a measurement.
  public var truncatedDataPackets = 0
  /// Those of them after which a link has only a part of a measurement, or may lack one.
  public var truncatedMeasurements = 0
  /// What was seen of peers and not decoded, for as many peers as are told apart; all of it is also in
  /// ``anomalies``.
  public var unread: [PeripheralIdentity: UnreadCounts] = [:]
  /// Peers of which the log says that they have Heart Rate Measurement.
  public var heartRatePeers: Set<PeripheralIdentity> = []
  /// Notifications of characteristics that the log does not name, by link and handle.
  public var unresolved: [UnresolvedHandle: Int] = [:]
  /// How many of those could be the heart rate of a person, and how many are nothing that a strap sends.
  public var plausible: [UnresolvedHandle: Int] = [:]
  public var implausible: [UnresolvedHandle: Int] = [:]
  /// Measurements that the recording host's own server sent: the log is the peripheral's.
  public var served = 0
  /// Measurements that came in an earlier log, whose handle this one names.
  public var fromEarlierLogs = 0
  /// Handles that were taken for Heart Rate Measurement without a declaration in the log, and why.
  public var inferred: [InferredHandle] = []
  /// Where and why the log could not be read further; what came before it was.
  public var damage: PacketLogError?
  public var bytesRead: Int64 = 0
  /// The size of the log, where it is a regular file.
  public var totalBytes: Int64?
  /// The replay was stopped before the end of the log.
  public var wasStopped = false

  public init() {}

  /// 2010-06-30, when Bluetooth 4.0 was adopted: no low-energy packet is older.
  public static let earliestPlausible = ReceiptTime(microsecondsSince1970: 1_277_856_000_000_000)

  /// How many handles are told apart; a hostile log has any number.
  static let unresolvedCapacity = 256

  /// As what a handle is counted: itself, or with the others where there are too many.
  func place(of handle: UnresolvedHandle) -> UnresolvedHandle {
    unresolved[handle] != nil || unresolved.count < Self.unresolvedCapacity ? handle : .others
  }

  mutating func countUnresolved(_ handle: UnresolvedHandle, _ looks: HandleLooks) {
    var counts = HandleCounts()
    counts.add(looks)
    unresolved.add(counts.values, to: handle)
    plausible.add(counts.plausible, to: handle)
    implausible.add(counts.implausible, to: handle)
  }

  /// It has turned out what values are that were counted.
  mutating func countResolved(_ handle: UnresolvedHandle, _ counts: HandleCounts) {
    unresolved.add(-counts.values, to: handle)
    plausible.add(-counts.plausible, to: handle)
    implausible.add(-counts.implausible, to: handle)
  }

  mutating func count(_ anomaly: HostAnomaly, times: Int = 1) {
    let sum = anomalies[anomaly.rawValue, default: 0] + times
    anomalies[anomaly.rawValue] = sum > 0 ? sum : nil
  }

  mutating func countImplausible(_ time: ReceiptTime) {
    if time < Self.earliestPlausible { recordsTooEarly += 1 } else { recordsTooLate += 1 }
    earliestTime = min(earliestTime ?? time, time)
    latestTime = max(latestTime ?? time, time)
  }

  mutating func count(_ traffic: UnreadTraffic, of peer: PeripheralIdentity) {
    anomalies[traffic.rawValue, default: 0] += 1
    guard unread[peer] != nil || unread.count < Self.unresolvedCapacity else { return }
    unread[peer, default: UnreadCounts()].count(traffic)
  }

  mutating func declareHeartRate(_ peer: PeripheralIdentity) {
    if heartRatePeers.count < Self.unresolvedCapacity { heartRatePeers.insert(peer) }
  }

  /// It has turned out that so many values, which were counted, are repetitions of the ones before them.
  mutating func countRepetitions(_ count: Int) {
    guard count > 0 else { return }
    notifications -= count
    self.count(.perhapsRepetition, times: -count)
    self.count(.retransmission, times: count)
  }

  mutating func state(_ reason: InferredHandle.Reason, _ link: Link, _ handle: UInt16) {
    let statement = InferredHandle(peer: link.peer, handle: handle, reason: reason)
    if inferred.count < Self.unresolvedCapacity, !inferred.contains(where: { $0.isOf(statement) }) {
      inferred.append(statement)
    }
  }

  /// The caller named the handle, and a value of it is nothing that a strap sends.
  mutating func countAgainst(_ link: Link, _ handle: UInt16) {
    let statement = InferredHandle(peer: link.peer, handle: handle, reason: .namedByCaller)
    guard let place = inferred.firstIndex(where: { $0.isOf(statement) }) else { return }
    inferred[place].implausible += 1
  }
}

extension [UnresolvedHandle: Int] {
  fileprivate mutating func add(_ count: Int, to handle: UnresolvedHandle) {
    guard count != 0 else { return }
    let sum = self[handle, default: 0] + count
    self[handle] = sum > 0 ? sum : nil
  }
}

/// A handle that notified and whose characteristic the log does not name.
public struct UnresolvedHandle: Hashable, Sendable {
  /// The peer's address, where the log has it.
  public var peer: BluetoothAddress?
  public var handle: UInt16

  /// All handles beyond as many as are told apart; 0 is no attribute's handle (Core Specification, Vol 3,
  /// Part F, §3.2.2).
  public static let others = UnresolvedHandle(peer: nil, handle: 0)
}

/// Steps of a clock in one direction.
public struct ClockSteps: Hashable, Sendable {
  public var count = 0
  /// In microseconds.
  public var greatest: Int64 = 0

  public init() {}

  mutating func count(_ step: Int64) {
    count += 1
    greatest = max(greatest, step)
  }
}

/// Packets of a peer that were seen and not decoded.
public struct UnreadCounts: Hashable, Sendable {
  /// Frames of enhanced attribute bearers (EATT).
  public var enhancedAttributeFrames = 0
  /// Frames of other connection-oriented channels.
  public var channelFrames = 0
  /// Attribute PDUs with an opcode that the Core Specification does not define.
  public var unknownOpcodes = 0
  /// PDUs that are encrypted on the air.
  public var encryptedPDUs = 0

  public init() {}

  /// The counts by the names that ``ReplayTally/anomalies`` has for them, without zeros.
  public var byName: [String: Int] {
    let counts: [(UnreadTraffic, Int)] = [
      (.enhancedAttributeFrame, enhancedAttributeFrames), (.channelFrame, channelFrames),
      (.unknownOpcode, unknownOpcodes), (.encryptedPDU, encryptedPDUs),
    ]
    return counts.reduce(into: [:]) { if $1.1 > 0 { $0[$1.0.rawValue] = $1.1 } }
  }

  mutating func count(_ traffic: UnreadTraffic) {
    switch traffic {
    case .enhancedAttributeFrame: enhancedAttributeFrames += 1
    case .channelFrame: channelFrames += 1
    case .unknownOpcode: unknownOpcodes += 1
    case .encryptedPDU: encryptedPDUs += 1
    }
  }
}

/// A handle that was taken for Heart Rate Measurement.
public struct InferredHandle: Hashable, Sendable {
  public enum Reason: String, Sendable {
    /// The caller named the handle.
    case namedByCaller
    /// A client configured it for notifications, and its values are sound measurements.
    case clientConfiguration
  }

  public var peer: BluetoothAddress?
  public var handle: UInt16
  public var reason: Reason
  /// How many of its values are nothing that a strap sends, where the caller named it.
  public var implausible = 0

  public init(peer: BluetoothAddress?, handle: UInt16, reason: Reason, implausible: Int = 0) {
    self.peer = peer
    self.handle = handle
    self.reason = reason
    self.implausible = implausible
  }

  func isOf(_ other: InferredHandle) -> Bool {
    peer == other.peer && handle == other.handle && reason == other.reason
  }
}
