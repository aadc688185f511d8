package pagestest
