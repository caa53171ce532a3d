import Bluetooth
import Ingestion
import PacketLog
import PacketReplay

/// What `hrgate replay --json` prints for a log. The names are a promise.
struct ReplayLine: Encodable {
  var log: String
  /// Of an archive with several logs, the one that was read.
  var member: String?
  /// `unknown` where the log is of none that can be read.
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
  /// Records of which the recorder kept only the beginning of the packet.
  var truncatedRecords: Int?
  var monitors: [Monitor]
  /// Packets of heart-rate monitors that were not decoded.
  var unread: [Unread]
  var unresolved: [Unresolved]
  var inferred: [Inferred]
  var firstTime: String?
  var lastTime: String?
  /// Where the log states no wall time: in how many of its records.
  var recordsWithoutWallTime: Int?
  /// Records that are dated before there was Bluetooth Low Energy, or in the future.
  var recordsWithImplausibleTime: Int?
  /// How often the log's time goes back by more than a second, and ahead by more than ten minutes during a
  /// connection.
  var clockStepsBack: Int?
  var clockStepsAhead: Int?
  /// Sections that begin before the one before them ends.
  var sectionsOutOfOrder: Int?
  var damage: Damage?
  var dryRun: Bool?
  var stopped: Bool?

  struct Monitor: Encodable {
    var address: String
    var name: String
    var bundleIdentifier: String
    var measurements: Int
    /// Whose it is; absent for the owner, and for a store that is nobody's here.
    var person: String?
    /// How many of the measurements are not stored because it is, or may be, somebody else's, or is
    /// none of those that were asked for.
    var leftOut: Int?
    /// The number of intervals that add up to more than the time that passed; absent if there are none.
    var surplusIntervals: Int?
    /// The sum of its intervals divided by the time that passed; absent if that is 1 within 0.3 %.
    var intervalRatio: Double?
    /// The number of plausible measurements of connections during which it said "no contact"; absent if there
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
    /// By the names that `anomalies` has for them.
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
    /// A word for programs, ``PacketLogError/Code/name``.
    var reason: String
    /// The same as a sentence.
    var message: String

    init(_ error: PacketLogError) {
      offset = error.offset
      reason = error.code.name
      message = error.description
    }
  }
}

/// `0x` and four hexadecimal digits.
private func text(_ handle: UInt16) -> String {
  "0x" + [UInt8(handle >> 8), UInt8(truncatingIfNeeded: handle)].hexadecimal
}
