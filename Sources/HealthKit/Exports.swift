// Whoever imports HealthKit has Foundation's Date, UUID and NSPredicate too, as on Apple's systems.
@_exported public import Foundation
