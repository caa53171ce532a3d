package import Bluetooth

/// A record in the inbox, which a gateway writes while its store is locked: an event of the central, or the
/// start or end of a run.
///
/// Measurement frames are stored as received. Processing the records after unlocking results in the same
/// samples as storing them immediately.
package enum SealedRecord: Sendable {
  /// A run started. Contains the setting of the wall clock, the current receipt time, and the current time of
  /// the wall clock.
  case began(ClockSetting, now: ReceiptTime, wall: ReceiptTime)
  /// The store was locked during a run that had already stored measurements. The same run continues.
  case continued
  /// The run ended normally.
  case ended(ReceiptTime)
  case event(CentralEvent)

  /// Whether the record is about a run or the wall clock. Such a record is stored separately from
  /// measurements.
  package var isOfClock: Bool {
    switch self {
    case .began, .continued, .ended, .event(.clockSet): true
    case .event: false
    }
  }

  /// Whether the record is a Heart Rate Measurement notification.
  package var isMeasurement: Bool {
    if case .event(.notified(let notification)) = self {
      notification.characteristic == .heartRateMeasurement
    } else {
      false
    }
  }

  /// The number of measurements in the record, including dropped duplicates.
  package var measurements: Int {
    if case .event(.repeated(_, let count)) = self { count } else { isMeasurement ? 1 : 0 }
  }
}

/// An error in the bytes of sealed records.
package enum SealedRecordsError: Error, Hashable, CustomStringConvertible {
  /// The records were written by a newer version of hrgate.
  case unknownVersion(UInt8)
  case invalid(offset: Int)

  package var description: String {
    switch self {
    case .unknownVersion(let version):
      "an entry of the inbox was written by a newer version (records \(version))"
    case .invalid(let offset): "an entry of the inbox has invalid records (at \(offset))"
    }
  }
}

/// The binary format of sealed records: a version byte, followed by the records. A monitor is written out
/// once and then referred to by a number. A time is stored as the difference from the previous time.
package enum SealedRecords {
  static let version: UInt8 = 1
  /// Maximum number of monitors with a number, which is one byte. Any further monitor is written out each
  /// time.
  static let mostNumbered = 255

  enum Tag: UInt8 {
    case began = 1
    case continued, ended, named, connected, valueRead, described, notified, measured, disconnected, released,
      gapBegan, repeated, interrupted, clockSet
  }

  package static func encode(_ records: some Sequence<SealedRecord>) -> [UInt8] {
    var encoder = SealedRecordEncoder()
    for record in records { encoder.append(record) }
    return encoder.bytes
  }

  package static func decode(_ bytes: [UInt8]) throws(SealedRecordsError) -> [SealedRecord] {
    guard let version = bytes.first else { throw .invalid(offset: 0) }
    guard version == Self.version else { throw .unknownVersion(version) }
    var decoder = SealedRecordDecoder(bytes)
    var records: [SealedRecord] = []
    records.reserveCapacity(bytes.count / 12)
    while !decoder.isAtEnd {
      guard let record = decoder.next() else { throw .invalid(offset: decoder.position) }
      records.append(record)
    }
    return records
  }
}
