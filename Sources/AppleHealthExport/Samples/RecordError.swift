import HealthKit

/// The reason why a record, or a part of it, is not stored. The raw value is its name in the counts by
/// reason.
public enum RecordError: String, Error, Sendable, CaseIterable {
  /// A tag of the record cannot be read, or its end tag is missing.
  case damaged
  /// A time is missing or invalid.
  case time
  /// A value is missing or invalid for the type.
  case value
  /// A unit is missing, unknown, or does not fit the type.
  case unit
  /// HealthKit does not allow the sample, for example because its end is before its start.
  case rule
  /// A metadata value is invalid for its key; the record is stored without it.
  case metadata
  /// A list of beats cannot be read, or lies outside its record; the record is stored without it.
  case beats
  /// An event or an activity of a workout is outside the workout's time. The workout is stored without it.
  case workoutPart
  /// A character is not allowed in XML. The record is stored without the character.
  case character

  /// Whether the record is stored without the invalid part.
  public var isPartial: Bool {
    switch self {
    case .metadata, .beats, .workoutPart, .character: true
    case .damaged, .time, .value, .unit, .rule: false
    }
  }
}
