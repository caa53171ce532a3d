import HealthKit

func isInvalidArgument(_ error: any Error) -> Bool { HKError.errorInvalidArgument ~= error }
