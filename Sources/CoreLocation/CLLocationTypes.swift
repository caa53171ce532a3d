// Importing CoreLocation gives Foundation's Date too, as on Apple's systems.
@_exported public import Foundation

/// A latitude or a longitude, in degrees.
public typealias CLLocationDegrees = Double
/// A distance, in metres.
public typealias CLLocationDistance = Double
/// How exact a place is, in metres; negative where it is not known.
public typealias CLLocationAccuracy = Double
/// Metres a second; negative where it is not known.
public typealias CLLocationSpeed = Double
/// How exact a speed is, in metres a second; negative where it is not known.
public typealias CLLocationSpeedAccuracy = Double
/// Degrees clockwise from true north; negative where it is not known.
public typealias CLLocationDirection = Double
/// How exact a direction is, in degrees; negative where it is not known.
public typealias CLLocationDirectionAccuracy = Double

/// The greatest distance.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let CLLocationDistanceMax: CLLocationDistance = .greatestFiniteMagnitude

// How exact a program wants places to be. Nothing on Linux is asked for them; programs name them in their
// configuration.

/// As exact as can be, with the help of other sensors.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let kCLLocationAccuracyBestForNavigation: CLLocationAccuracy = -2
/// As exact as can be.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let kCLLocationAccuracyBest: CLLocationAccuracy = -1
/// Within ten metres.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let kCLLocationAccuracyNearestTenMeters: CLLocationAccuracy = 10
// swift-format-ignore: AlwaysUseLowerCamelCase
public let kCLLocationAccuracyHundredMeters: CLLocationAccuracy = 100
// swift-format-ignore: AlwaysUseLowerCamelCase
public let kCLLocationAccuracyKilometer: CLLocationAccuracy = 1000
// swift-format-ignore: AlwaysUseLowerCamelCase
public let kCLLocationAccuracyThreeKilometers: CLLocationAccuracy = 3000
/// Every movement counts, however small.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let kCLDistanceFilterNone: CLLocationDistance = -1
