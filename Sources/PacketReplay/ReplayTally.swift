public import Bluetooth
public import PacketLog

/// The counts of a replay so far. The counts of stored measurements are in `IngestionTally`.
public struct ReplayTally: Sendable {
  /// The format of the log; `nil` before it is opened.
  public var format: PacketLogFormat?
  /// Number of records in the log.
  public var records = 0
  /// Number of records without a recording time.
  public var recordsWithoutWallTime = 0
  /// Number of notifications and indications of all characteristics.
  public var notifications = 0
  /// The time of the first record.
  public var firstTime: ReceiptTime?
  /// The time of the last record.
  public var lastTime: ReceiptTime?
  /// The number of deviations from the specification, and of other problems that did not end the replay, by
  /// name.
  public var anomalies: [String: Int] = [:]
  /// Number of records with a time before Bluetooth Low Energy existed.
  public var recordsTooEarly = 0
  /// Number of records with a time later than the caller considers possible.
  public var recordsTooLate = 0
  /// The earliest time of the records in ``recordsTooEarly`` and ``recordsTooLate``; `nil` if there are none.
  public var earliestTime: ReceiptTime?
  /// The latest time of the records in ``recordsTooEarly`` and ``recordsTooLate``; `nil` if there are none.
  public var latestTime: ReceiptTime?
  /// Backward steps of more than one second in the times of a capture interface.
  public var clockStepsBack = ClockSteps()
  /// Forward steps of more than ten minutes while a peer is connected.
  public var clockStepsAhead = ClockSteps()
  /// Number of sections that start before the end of the previous one.
  public var sectionsOutOfOrder = 0
  /// Number of records that the recorder truncated.
  public var truncatedRecords = 0
  /// Number of ``truncatedRecords`` that are data packets, which may have contained a measurement.
  public var truncatedDataPackets = 0
  /// Number of ``truncatedRecords`` that contained, or may have contained, a measurement.
  public var truncatedMeasurements = 0
  /// Packets of each peer that were not decoded. The number of peers is limited. All such packets are also
  /// counted in ``anomalies``.
  public var unread: [PeripheralIdentity: UnreadCounts] = [:]
  /// The peers whose attributes include Heart Rate Measurement.
  public var heartRatePeers: Set<PeripheralIdentity> = []
  /// Number of notifications of handles whose characteristic is unknown, by peer and handle.
  public var unresolved: [UnresolvedHandle: Int] = [:]
  /// Number of ``unresolved`` values that are possible as heart rates of a person.
  public var plausible: [UnresolvedHandle: Int] = [:]
  /// Number of ``unresolved`` values that cannot be heart-rate measurements.
  public var implausible: [UnresolvedHandle: Int] = [:]
  /// Number of measurements that the recording host itself sent, because it was the peripheral.
  public var served = 0
  /// Number of measurements from an earlier log that were held until this log revealed their characteristic.
  public var fromEarlierLogs = 0
  /// The handles that were accepted as Heart Rate Measurement without a declaration in the log, with the
  /// reasons.
  public var inferred: [InferredHandle] = []
  /// The error that ended the replay; `nil` if there was none. All records before it were read.
  public var damage: PacketLogError?
  /// Number of bytes read.
  public var bytesRead: Int64 = 0
  /// The size of the log in bytes; `nil` if it is not a regular file.
  public var totalBytes: Int64?
  /// Whether the replay was stopped before the end of the log.
  public var wasStopped = false

  public init() {}

  /// The earliest plausible time: 2010-06-30, when Bluetooth 4.0 introduced Low Energy.
  public static let earliestPlausible = ReceiptTime(microsecondsSince1970: 1_277_856_000_000_000)

  /// Maximum number of handles with separate counts, because a manipulated log may contain any number.
  static let unresolvedCapacity = 256

  /// Returns the handle under which to count: `handle`, or ``UnresolvedHandle/others`` if there are too many.
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

  /// Subtracts values whose characteristic has become known.
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

  /// Records that some counted notifications have turned out to be retransmissions.
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

  /// Counts a value that cannot be a measurement for the handle that the caller named.
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

/// An attribute handle with notifications whose characteristic the log does not reveal.
public struct UnresolvedHandle: Hashable, Sendable {
  /// The peer's address; `nil` if the log does not contain it.
  public var peer: BluetoothAddress?
  /// The handle of the characteristic's value.
  public var handle: UInt16

  /// Represents all handles beyond the maximum number. No attribute has handle 0 (Core Specification, Vol 3,
  /// Part F, §3.2.2).
  public static let others = UnresolvedHandle(peer: nil, handle: 0)
}

/// The clock steps in one direction, forward or backward.
public struct ClockSteps: Hashable, Sendable {
  /// The number of steps.
  public var count = 0
  /// The largest step in microseconds.
  public var greatest: Int64 = 0

  public init() {}

  mutating func count(_ step: Int64) {
    count += 1
    greatest = max(greatest, step)
  }
}

/// Packets of a peer that were not decoded.
public struct UnreadCounts: Hashable, Sendable {
  /// Number of frames of enhanced attribute bearers (EATT).
  public var enhancedAttributeFrames = 0
  /// Number of frames of other connection-oriented channels.
  public var channelFrames = 0
  /// Number of attribute PDUs with an opcode that the Core Specification does not define.
  public var unknownOpcodes = 0
  /// Number of PDUs that were encrypted on the air and not decrypted.
  public var encryptedPDUs = 0

  public init() {}

  /// The counts that are not zero, by their names in ``ReplayTally/anomalies``.
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

/// A handle that was accepted as Heart Rate Measurement without a declaration in the log.
public struct InferredHandle: Hashable, Sendable {
  /// The reason why a handle was accepted.
  public enum Reason: String, Sendable {
    /// The caller named the handle.
    case namedByCaller
    /// A client has enabled the characteristic's notifications, and the values are valid measurements.
    case clientConfiguration
  }

  public var peer: BluetoothAddress?
  public var handle: UInt16
  public var reason: Reason
  /// Number of the handle's values that cannot be measurements. Counted only for a handle named by the
  /// caller.
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
