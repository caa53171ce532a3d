import Foundation

/// A page of code as in programs written for Apple's HealthKit. Each page uses one feature that once did not
/// compile or run with hrgate's HealthKit.
protocol Page {
  static func run() async throws
}

/// A result that differs from the expected one.
struct ExpectationError: Error, CustomStringConvertible {
  let description: String
}

func expect(_ condition: Bool, _ description: @autoclosure () -> String) throws {
  if !condition { throw ExpectationError(description: description()) }
}

@main struct Client {
  static var pages: [any Page.Type] {
    [
      AppleArchives.self, Attachments.self, CompletionHandlers.self, Delegates.self,
      DescriptorProperties.self,
      ElectrocardiogramQueries.self, ExternalStores.self, ObserverQueries.self, PredicateFormats.self,
      SampleClasses.self, SmallSymbols.self, SortIdentifiers.self, WorkoutActivities.self,
    ]
  }

  /// Runs the named pages, or all of them if there are no arguments.
  static func main() async {
    let names = CommandLine.arguments.dropFirst()
    for page in pages where names.isEmpty || names.contains("\(page)") {
      do {
        try await page.run()
        print("ok \(page)")
      } catch {
        print("FAIL \(page): \(error)")
        exit(1)
      }
    }
  }
}
