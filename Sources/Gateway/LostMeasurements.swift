public import Foundation

/// What was measured last could not be stored.
public struct LostMeasurements: LocalizedError, CustomStringConvertible {
  /// What the store said.
  public let cause: any Error

  public var description: String { "what was measured last is not stored: \(cause.localizedDescription)" }
  public var errorDescription: String? { description }
}
