package import Bluetooth

/// One item that a gateway records while its store is locked: an event of the central, or of the gateway.
///
/// Frames are kept as received. Reading them later gives the same samples as storing them at once.
package enum SealedRecord: Sendable {
  /// A run begins, with this setting of the clock, at a time by the setting and of the wall clock.
  case began(ClockSetting, now: ReceiptTime, wall: ReceiptTime)
  /// The run that has stored measurements until now goes on, and the store is locked.
  case continued
  /// The run ends regularly.
  case ended(ReceiptTime)
  case event(CentralEvent)

  /// Whether the record changes the clock. It is stored apart from measurements.
  package var isOfClock: Bool {
    switch self {
    case .began, .continued, .ended, .event(.clockSet): true
    case .event: false
    }
  }

  /// Whether it is a Heart Rate Measurement.
  package var isMeasurement: Bool {
    if case .event(.notified(let notification)) = self {
      notification.characteristic == .heartRateMeasurement
    } else {
      false
    }
  }

  /// The number of measurements in it.
  package var measurements: Int {
    if case .event(.repeated(_, let count)) = self { count } else { isMeasurement ? 1 : 0 }
  }
}

/// The error of bytes that are no sealed records.
package enum SealedRecordsError: Error, Hashable, CustomStringConvertible {
  /// Written by a newer version.
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

/// The stored form of sealed records: a version, then the records. Monitors are numbered in the order of
/// their first record, and times are differences from the time before.
package enum SealedRecords {
  static let version: UInt8 = 1
  /// Monitors with a number of one byte. Further ones are written out each time.
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
