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
  /// Notifications of characteristics that the log does not name, by link and handle.
  public var unresolved: [UnresolvedHandle: Int] = [:]
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

  /// How many handles are told apart; a hostile log has any number.
  static let unresolvedCapacity = 256

  mutating func countUnresolved(_ handle: UnresolvedHandle) {
    let isKnown = unresolved[handle] != nil || unresolved.count < Self.unresolvedCapacity
    unresolved[isKnown ? handle : .others, default: 0] += 1
  }

  /// So many values that were counted have turned out to be measurements.
  mutating func countResolved(_ handle: UnresolvedHandle, _ count: Int) {
    guard count > 0 else { return }
    let key = unresolved[handle] == nil ? .others : handle
    let rest = unresolved[key, default: 0] - count
    unresolved[key] = rest > 0 ? rest : nil
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
}
