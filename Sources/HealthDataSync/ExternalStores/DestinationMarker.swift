public import Foundation

/// What a destination stores with each page, so that a loss of its data is noticed.
///
/// The health store remembers the number of the last page. A destination whose marker is missing or has a
/// smaller number lost data: its disk is not mounted, its schema was dropped, an older backup was restored.
/// Sending on from the cursor would leave a hole that nothing reports.
public struct DestinationMarker: Hashable, Sendable {
  /// Random. A new destination has a new one, and so has one that was reset.
  public let id: UUID
  /// The number of the page; 0 before the first. nil while the destination does not have the marker yet.
  public let sequence: Int64?

  public init(id: UUID = UUID(), sequence: Int64? = nil) {
    self.id = id
    self.sequence = sequence
  }

  /// Whether the destination must have the marker.
  public var isExpected: Bool { sequence != nil }
}

extension ExternalStoreError {
  /// The destination does not have what was sent to it.
  /// - Parameter detail: what is missing, such as `/srv/lab is missing`.
  public static func lostData(_ detail: String) -> ExternalStoreError {
    ExternalStoreError(
      "the destination lost data (\(detail)): mount its disk, or run sync reset, which sends everything again",
      outlook: .lasting)
  }
}
