import HealthKit

/// The reason why a record, or a part of it, is not stored. The raw value is its name in counts.
public enum RecordError: String, Error, Sendable, CaseIterable {
  /// One of its tags cannot be read, or its end tag is missing.
  case damaged
  /// A time is missing or invalid.
  case time
  /// A value is missing or invalid for the type.
  case value
  /// A unit is missing, unknown, or does not fit the type.
  case unit
  /// The sample violates a rule of HealthKit, such as an end before the start.
  case rule
  /// A metadata value is invalid for its key; the record is stored without it.
  case metadata
  /// A list of beats cannot be read, or lies outside its record; the record is stored without it.
  case beats
  /// An event or a part of a workout is outside the workout, which is stored without it.
  case workoutPart
  /// XML does not allow a character; the record is stored without it.
  case character

  /// Whether the record is stored without the invalid part.
  public var isPartial: Bool {
    switch self {
    case .metadata, .beats, .workoutPart, .character: true
    case .damaged, .time, .value, .unit, .rule: false
    }
  }
}
