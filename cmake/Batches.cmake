# CMAKE_UNITY_BUILD: a folder's sources compiled sixteen at a time, a fifth of the time of a build from nothing. Who edits all day long
# leaves it off, and compiles one file instead of sixteen.

# ratectl_batches(TARGET source...): which of a target's sources go together. Never two folders: they share no names.
function(ratectl_batches target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  list(SORT ARGN)
  foreach(source IN LISTS ARGN)
    get_filename_component(folder ${source} DIRECTORY)
    if(NOT folder STREQUAL last_folder)
      set(last_folder ${folder})
      set(place 0)
      string(MAKE_C_IDENTIFIER ${folder} name)
      string(REGEX REPLACE ".*_(src|tests)_" "" name ${name})
    endif()
    math(EXPR batch "${place} / 16")
    math(EXPR place "${place} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${name}_${batch})
  endforeach()
endfunction()
