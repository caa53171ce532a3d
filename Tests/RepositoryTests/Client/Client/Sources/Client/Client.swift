import Foundation

/// A page of code as it stands in programs that were written for Apple's HealthKit. Each shows one thing that
/// did not compile or run here once.
protocol Page {
  static func run() async throws
}

/// What a page found, where it expected something else.
struct Unexpected: Error, CustomStringConvertible {
  let description: String
}

func expect(_ condition: Bool, _ description: @autoclosure () -> String) throws {
  if !condition { throw Unexpected(description: description()) }
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

  /// Runs the pages that are named, or all of them.
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
