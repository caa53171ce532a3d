import HealthKit
import Testing

/// Tests numbers and names that are part of the API, or that occur in archives and logs.
@Suite struct NumbersTests {
  @Test func `options, limits and statuses have Apple's values`() {
    let statistics: [HKStatisticsOptions] = [
      .separateBySource, .discreteAverage, .discreteMin, .discreteMax, .cumulativeSum, .mostRecent, .duration,
    ]
    #expect(statistics.map(\.rawValue) == [1, 2, 4, 8, 16, 32, 64])
    #expect([HKQueryOptions.strictStartDate, .strictEndDate].map(\.rawValue) == [1, 2])
    #expect(HKObjectQueryNoLimit == 0 && HKAnchoredObjectQueryNoAnchor == 0)
    let statuses: [HKAuthorizationStatus] = [.notDetermined, .sharingDenied, .sharingAuthorized]
    #expect(statuses.map(\.rawValue) == [0, 1, 2])
    let requests: [HKAuthorizationRequestStatus] = [.unknown, .shouldRequest, .unnecessary]
    #expect(requests.map(\.rawValue) == [0, 1, 2])
    let frequencies: [HKUpdateFrequency] = [.immediate, .hourly, .daily, .weekly]
    #expect(frequencies.map(\.rawValue) == [1, 2, 3, 4])
    #expect(
      Notification.Name.HKUserPreferencesDidChange.rawValue == "HKUserPreferencesDidChangeNotification")
  }

  @Test func `errors have Apple's domain and codes, and can be caught by name`() {
    let codes: [HKError.Code] = [
      .unknownError, .errorHealthDataUnavailable, .errorHealthDataRestricted, .errorInvalidArgument,
      .errorAuthorizationDenied, .errorAuthorizationNotDetermined, .errorDatabaseInaccessible,
      .errorUserCanceled,
      .errorAnotherWorkoutSessionStarted, .errorUserExitedWorkoutSession, .errorRequiredAuthorizationDenied,
      .errorNoData, .errorWorkoutActivityNotAllowed, .errorDataSizeExceeded,
      .errorBackgroundWorkoutSessionNotAllowed, .errorNotPermissibleForGuestUserMode,
    ]
    #expect(codes.map(\.rawValue) == Array(0...15))
    #expect(HKErrorDomain == "com.apple.healthkit" && HKError.errorDomain == HKErrorDomain)
    for code in codes {
      let foreign = HKError(code) as NSError
      #expect(foreign.domain == HKErrorDomain && foreign.code == code.rawValue)
      for other in codes {
        #expect((other ~= HKError(code)) == (other == code))
        #expect((other ~= NSError(domain: HKErrorDomain, code: code.rawValue)) == (other == code))
      }
      #expect(!(code ~= NSError(domain: "another", code: code.rawValue)))
    }
  }
}
