import Bluetooth
import Ingestion
import PacketLog
import PacketReplay

/// The result of one log, as `hrgate replay --json` prints it. The field names are stable.
struct ReplayLine: Encodable {
  var log: String
  /// The member that was read, if the log is an archive with several logs.
  var member: String?
  /// The format, or `unknown` if the log is in no supported format.
  var format: String
  var records: Int
  var notifications: Int
  var measurements: Int
  var stored: [String: Int]
  var duplicates: Int
  var rejected: [String: Int]
  var anomalies: [String: Int]
  var served: Int?
  var fromEarlierLogs: Int?
  /// Number of records with truncated packets.
  var truncatedRecords: Int?
  var monitors: [Monitor]
  /// Packets of heart-rate monitors that were not decoded.
  var unread: [Unread]
  var unresolved: [Unresolved]
  var inferred: [Inferred]
  var firstTime: String?
  var lastTime: String?
  /// Number of records without wall time; absent if there are none.
  var recordsWithoutWallTime: Int?
  /// Number of records dated before Bluetooth Low Energy existed, or in the future.
  var recordsWithImplausibleTime: Int?
  /// Number of times the log's time goes back by more than 1 s, or ahead by more than 10 min during a
  /// connection.
  var clockStepsBack: Int?
  var clockStepsAhead: Int?
  /// Number of sections that begin before the previous one ends.
  var sectionsOutOfOrder: Int?
  var damage: Damage?
  var dryRun: Bool?
  var stopped: Bool?

  struct Monitor: Encodable {
    var address: String
    var name: String
    var bundleIdentifier: String
    var measurements: Int
    /// The person to whom the monitor belongs; absent for the account owner, and for a store that belongs to
    /// no person on this machine.
    var person: String?
    /// Number of measurements that are not stored, because the monitor was not requested or belongs, or may
    /// belong, to another person.
    var leftOut: Int?
    /// Number of RR intervals that are too many for the elapsed time, for example because the monitor sent
    /// them twice; absent if there are none.
    var surplusIntervals: Int?
    /// The sum of the RR intervals divided by the elapsed time; absent if that is 1 within 0.3 %.
    var intervalRatio: Double?
    /// Number of plausible measurements in connections that reported "no contact" throughout; absent if there
    /// are none.
    var withoutContact: Int?

    init(_ tally: MonitorTally, person: String? = nil, leftOut: Int = 0) {
      address = tally.peripheral.description
      name = tally.name
      bundleIdentifier = tally.bundleIdentifier
      measurements = tally.measurements
      self.person = person
      self.leftOut = leftOut > 0 ? leftOut : nil
      intervalRatio = tally.intervalRatio.map { ($0 * 10_000).rounded() / 10_000 }
      withoutContact = tally.withoutContact > 0 ? tally.withoutContact : nil
      surplusIntervals = tally.surplusIntervals > 0 ? tally.surplusIntervals : nil
    }
  }

  struct Unread: Encodable {
    var peer: String
    /// Number of undecoded packets by kind. The kinds have the same names as in `anomalies`.
    var counts: [String: Int]
  }

  struct Unresolved: Encodable {
    var peer: String
    var handle: String
    var notifications: Int
    var plausible: Int
    var implausible: Int

    init(_ entry: (key: UnresolvedHandle, value: Int), of replay: ReplayTally) {
      plausible = replay.plausible[entry.key] ?? 0
      implausible = replay.implausible[entry.key] ?? 0
      peer = entry.key == .others ? "others" : entry.key.peer?.description ?? "unidentified"
      handle = entry.key == .others ? "others" : text(entry.key.handle)
      notifications = entry.value
    }

    var order: String { peer + handle }
  }

  struct Inferred: Encodable {
    var peer: String
    var handle: String
    var by: String
    var implausible: Int?

    init(_ inferred: InferredHandle) {
      peer = inferred.peer?.description ?? "unidentified"
      handle = text(inferred.handle)
      by = inferred.reason.rawValue
      implausible = inferred.implausible > 0 ? inferred.implausible : nil
    }
  }

  struct Damage: Encodable {
    var offset: Int64
    /// The error's code, ``PacketLogError/Code/name``.
    var reason: String
    /// The error message.
    var message: String

    init(_ error: PacketLogError) {
      offset = error.offset
      reason = error.code.name
      message = error.description
    }
  }
}

/// Formats a handle as `0x` and four hexadecimal digits.
private func text(_ handle: UInt16) -> String {
  "0x" + [UInt8(handle >> 8), UInt8(truncatingIfNeeded: handle)].hexadecimal
}
