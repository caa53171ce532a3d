// Programs that import HealthKit also get Foundation's Date, UUID and NSPredicate, as on Apple's systems.
@_exported public import Foundation
