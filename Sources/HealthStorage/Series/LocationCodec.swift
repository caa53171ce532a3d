import PackedSamples

/// Encodes the locations of a route without loss.
///
/// The bytes are: a version (1), the LEB128 of the count, and a `DoubleColumn` for each field in the order of
/// `fields`.
package enum LocationCodec {
  private static let fields: [any WritableKeyPath<LocationRecord, Double> & Sendable] = [
    \.timestamp, \.latitude, \.longitude, \.altitude, \.horizontalAccuracy, \.verticalAccuracy, \.course,
    \.courseAccuracy, \.speed, \.speedAccuracy,
  ]

  private static let nowhere = LocationRecord(
    timestamp: 0, latitude: 0, longitude: 0, altitude: 0, horizontalAccuracy: 0, verticalAccuracy: 0,
    course: 0, courseAccuracy: 0, speed: 0, speedAccuracy: 0)

  package static func encode(_ locations: [LocationRecord]) -> [UInt8] {
    var bytes: [UInt8] = [1]
    LEB128.append(UInt64(locations.count), to: &bytes)
    for field in fields { DoubleColumn.append(locations.map { $0[keyPath: field] }, to: &bytes) }
    return bytes
  }

  /// - Returns: The locations; `nil` for bytes that `encode` never returns. Invalid bytes do not cause a
  ///   crash, and need at most a multiple of their own size in memory.
  package static func decode(_ bytes: [UInt8]) -> [LocationRecord]? {
    var position = 1
    guard bytes.first == 1, let declared = LEB128.read(bytes, at: &position),
      let count = Int(exactly: declared),
      count <= bytes.count - position
    else { return nil }
    var locations = Array(repeating: nowhere, count: count)
    for field in fields {
      guard let column = DoubleColumn.read(count, bytes, at: &position) else { return nil }
      for index in column.indices { locations[index][keyPath: field] = column[index] }
    }
    return position == bytes.count ? locations : nil
  }
}
